/**
 * GOGC of the Go programs that tests start. By itself Go collects garbage whenever the heap has doubled, which is often while
 * kube-apiserver starts: a fifth of its CPU time. A control plane takes 380 MiB instead of 260 for it.
 */
export const garbageCollection = '400';
