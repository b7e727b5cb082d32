/*
 * Gives Node more threads for file systems, since one that hangs keeps a thread for each call. Import this
 * before anything that makes such a call: the pool takes its size from the environment when it is first used.
 */
const name = 'UV_THREADPOOL_SIZE';
process.env[name] ??= '16';

/**
 * How many threads Node has for file systems, host names and some credentials together. It is 4, Node's
 * default, if the environment has no usable value.
 */
export const threads = Math.floor(Number(process.env[name])) || 4;
