package io.millrace.storage;

/** Counters of a scan, for EXPLAIN ANALYZE. */
public record ScanStatistics(
    int memtables,
    int files,
    int filesPruned,
    int rowGroups,
    int rowGroupsPruned,
    int pages,
    int pagesPruned,
    int pagesFromCache,
    long rowsRead,
    long rowsOut) {}
