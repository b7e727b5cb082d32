import { expect, test } from '@jest/globals';
import { whereOf } from '../src/cluster/where.ts';

const configOf = (context: string, server: string) => ({
  getCurrentContext: () => context,
  getCurrentCluster: () => ({ name: 'c', server, skipTLSVerify: false }),
});

test.each([
  ['prod', 'https://api.example.com:6443/k8s', 'context prod, api.example.com:6443'],
  ['a\u001b[2J\u202e', 'https://user:secret@10.0.0.1', 'context a\\u001b[2J\\u202e, 10.0.0.1'],
])('context %j of %j -> %j', (context, server, words) => {
  expect(whereOf(configOf(context, server))).toBe(words);
});
