package io.millrace.sql.system;

import java.util.List;
import java.util.Locale;

/** PostgreSQL's numbers of character encodings. */
final class Encodings {
  private static final List<String> NAMES =
      List.of(
          "SQL_ASCII",
          "EUC_JP",
          "EUC_CN",
          "EUC_KR",
          "EUC_TW",
          "EUC_JIS_2004",
          "UTF8",
          "MULE_INTERNAL",
          "LATIN1",
          "LATIN2",
          "LATIN3",
          "LATIN4",
          "LATIN5",
          "LATIN6",
          "LATIN7",
          "LATIN8",
          "LATIN9",
          "LATIN10",
          "WIN1256",
          "WIN1258",
          "WIN866",
          "WIN874",
          "KOI8R",
          "WIN1251",
          "WIN1252",
          "ISO_8859_5",
          "ISO_8859_6",
          "ISO_8859_7",
          "ISO_8859_8",
          "WIN1250",
          "WIN1253",
          "WIN1254",
          "WIN1255",
          "WIN1257",
          "KOI8U",
          "SJIS",
          "BIG5",
          "GBK",
          "UHC",
          "GB18030",
          "JOHAB",
          "SHIFT_JIS_2004");

  private Encodings() {}

  /** Empty if there is none. */
  static String name(int number) {
    return number >= 0 && number < NAMES.size() ? NAMES.get(number) : "";
  }

  /** -1 if there is none. */
  static int number(String name) {
    String n = name.toUpperCase(Locale.ROOT).replace("-", "");
    return n.equals("UNICODE") ? 6 : NAMES.indexOf(n);
  }
}
