/*
 * Gives Node more threads for file systems, since one that hangs keeps a thread for each call. Import it before anything that makes such a
 * call: the pool takes its size from the environment when it is first used.
 */
const name = 'UV_THREADPOOL_SIZE';
process.env[name] ??= '16';

/** Threads that Node has for file systems, host names and some credentials together; 4, its own default, where the environment says nothing of use. */
export const threads = Math.floor(Number(process.env[name])) || 4;
