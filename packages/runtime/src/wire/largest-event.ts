/**
 * The most bytes of one event of a watch. etcd's objects have 1.5 MiB unless it is told otherwise; a stream without an end to its event
 * is no watch, and would fill the memory.
 */
export const largestEvent = 16 * 1024 * 1024;
