/**
 * GOGC for the Go programs that tests start. By default Go collects garbage whenever the heap has doubled.
 * That is often while kube-apiserver starts, and takes a fifth of its CPU time. The price is memory: a
 * control plane takes 380 MiB instead of 260.
 */
export const garbageCollection = '400';
