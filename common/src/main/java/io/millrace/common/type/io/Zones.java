package io.millrace.common.type.io;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Time zones by name, abbreviation and offset, and the step between local time and UTC. */
public final class Zones {
  private static final Map<String, String> NAMES = names();
  private static final Map<String, Integer> ABBREVIATIONS = abbreviations();

  private Zones() {}

  private static Map<String, String> names() {
    var out = new HashMap<String, String>();
    for (String id : ZoneId.getAvailableZoneIds()) {
      if (!id.startsWith("SystemV/")) {
        out.put(id.toLowerCase(Locale.ROOT), id);
      }
    }
    return Map.copyOf(out);
  }

  /** PostgreSQL's default abbreviations, in minutes east. */
  private static Map<String, Integer> abbreviations() {
    var out = new HashMap<String, Integer>();
    String list =
        "utc 0 gmt 0 z 0 zulu 0 ut 0 uct 0 wet 0 wetdst 60 west 60 bst 60 cet 60 cetdst 120 cest"
            + " 120 met 60 metdst 120 mest 120 mez 60 mesz 120 eet 120 eetdst 180 eest 180 msk 180"
            + " msd 240 sast 120 cat 120 eat 180 wat 60 ist 120 idt 180 trt 180 irst 210 gst 240"
            + " amt -240 azt 240 uzt 300 pkt 300 npt 345 bdt 360 mmt 390 ict 420 wib 420 wit 540"
            + " wita 480 cst -360 cdt -300 est -300 edt -240 mst -420 mdt -360 pst -480 pdt -420"
            + " akst -540 akdt -480 hst -600 ast -240 adt -180 nst -210 ndt -150 brt -180 brst -120"
            + " art -180 clt -240 clst -180 cot -300 pet -300 vet -240 bot -240 gft -180 uyt -180"
            + " jst 540 kst 540 hkt 480 sgt 480 pht 480 awst 480 awsst 540 acst 570 acdt 630 aest"
            + " 600 aedt 660 lhst 630 nzst 720 nzdt 780 nzt 720 chst 600 sst -660 fjt 720 tot 780";
    String[] parts = list.split(" ");
    for (int i = 0; i < parts.length; i += 2) {
      out.put(parts[i], Integer.valueOf(parts[i + 1]));
    }
    return Map.copyOf(out);
  }

  /** Seconds east of an abbreviation (lower case); null if there is none of that name. */
  static @Nullable Integer abbreviation(String lower) {
    Integer minutes = ABBREVIATIONS.get(lower);
    return minutes == null ? null : minutes * 60;
  }

  /** A zone by its full name, whatever its case; null if unknown. */
  static @Nullable ZoneId named(String name) {
    String id = NAMES.get(name.toLowerCase(Locale.ROOT));
    return id == null ? null : ZoneId.of(id);
  }

  /**
   * A zone as SET TIME ZONE and timezone() take it: a name, an abbreviation, an offset as {@code
   * +05:30} (ISO: east) or POSIX {@code UTC+3} (west). Null if unknown.
   */
  public static @Nullable ZoneId find(String text) {
    String t = text.strip();
    Integer seconds = abbreviation(t.toLowerCase(Locale.ROOT));
    if (seconds != null) {
      return seconds == 0 ? named("UTC") : ZoneOffset.ofTotalSeconds(seconds);
    }
    ZoneId zone = named(t);
    if (zone != null) {
      return zone;
    }
    int sign = Math.max(t.indexOf('+'), t.indexOf('-'));
    if (sign < 0) {
      return t.isEmpty() || !Character.isDigit(t.charAt(0)) ? null : offset("+" + t, true);
    }
    for (int i = 0; i < sign; i++) {
      if (!Character.isLetter(t.charAt(i)) && t.charAt(i) != '<') {
        return null;
      }
    }
    // A bare offset in a zone's name is POSIX too: west is positive.
    return offset(t.substring(sign), true);
  }

  /** A zone, or PostgreSQL's error. */
  public static ZoneId require(String text) {
    ZoneId zone = find(text);
    if (zone == null) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "time zone \"" + text + "\" not recognized");
    }
    return zone;
  }

  private static @Nullable ZoneId offset(String signed, boolean posix) {
    Integer seconds = offsetSeconds(signed);
    if (seconds == null) {
      return null;
    }
    try {
      return ZoneOffset.ofTotalSeconds(posix ? -seconds : seconds);
    } catch (DateTimeException _) {
      return null;
    }
  }

  /** Seconds east of {@code +hh[[:]mm[[:]ss]]}; null if it has another form. */
  static @Nullable Integer offsetSeconds(String s) {
    if (s.length() < 2 || (s.charAt(0) != '+' && s.charAt(0) != '-')) {
      return null;
    }
    int[] parts = new int[3];
    int n = 0;
    int i = 1;
    int run = 0;
    boolean colons = s.indexOf(':') >= 0;
    for (; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c >= '0' && c <= '9') {
        if (!colons && run == 2 && s.length() > 3) {
          n++;
          run = 0;
        }
        if (n > 2 || run > 6) {
          return null;
        }
        parts[n] = parts[n] * 10 + c - '0';
        run++;
      } else if (c == ':' && run > 0 && n < 2) {
        n++;
        run = 0;
      } else {
        return null;
      }
    }
    if (!colons && s.length() == 4) {
      int v = Integer.parseInt(s.substring(1));
      parts = new int[] {v / 100, v % 100, 0};
    }
    if (run == 0 || parts[1] > 59 || parts[2] > 59) {
      return null;
    }
    int total = parts[0] * 3600 + parts[1] * 60 + parts[2];
    return s.charAt(0) == '-' ? -total : total;
  }

  /**
   * Seconds east that hold for a local time. In a gap the offset before it (the clock is read as
   * not yet moved), in an overlap the one after it, as PostgreSQL decides.
   */
  public static int offsetOfLocal(ZoneRules rules, long localSeconds) {
    if (rules.isFixedOffset()) {
      return rules.getOffset(java.time.Instant.EPOCH).getTotalSeconds();
    }
    LocalDateTime local = LocalDateTime.ofEpochSecond(localSeconds, 0, ZoneOffset.UTC);
    ZoneOffsetTransition t = rules.getTransition(local);
    if (t != null) {
      return (t.isGap() ? t.getOffsetBefore() : t.getOffsetAfter()).getTotalSeconds();
    }
    return rules.getOffset(local).getTotalSeconds();
  }

  /** Microseconds of UTC for local microseconds in a zone. */
  public static long toUtc(ZoneId zone, long localMicros) {
    if (localMicros == Dates.INFINITY || localMicros == Dates.MINUS_INFINITY) {
      return localMicros;
    }
    int offset = offsetOfLocal(zone.getRules(), Math.floorDiv(localMicros, Dates.SECOND));
    return localMicros - offset * Dates.SECOND;
  }

  /** Seconds east at an instant. */
  public static int offsetAt(ZoneId zone, long utcMicros) {
    return zone.getRules()
        .getOffset(java.time.Instant.ofEpochSecond(Math.floorDiv(utcMicros, Dates.SECOND)))
        .getTotalSeconds();
  }

  /** Local microseconds of an instant in a zone. */
  public static long toLocal(ZoneId zone, long utcMicros) {
    if (utcMicros == Dates.INFINITY || utcMicros == Dates.MINUS_INFINITY) {
      return utcMicros;
    }
    return utcMicros + offsetAt(zone, utcMicros) * Dates.SECOND;
  }
}
