/**
 * The most bytes of one event of a watch. etcd limits objects to 1.5 MiB by default. A stream whose event
 * does not end is not a watch, and would fill the memory.
 */
export const largestEvent = 16 * 1024 * 1024;
