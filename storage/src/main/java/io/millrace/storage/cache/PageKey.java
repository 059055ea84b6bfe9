package io.millrace.storage.cache;

/** A page of a file: column by position in the file, row group, page; page -1 is the dictionary. */
public record PageKey(String fileId, int column, int group, int page) {}
