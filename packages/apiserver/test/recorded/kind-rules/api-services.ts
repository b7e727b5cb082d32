import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* The group versions, and who serves them. */

const spec = (fields: Fields): Fields => ({ spec: fields });
const local = (fields: Fields): Fields => spec({ service: null, ...fields });
const service = (fields: Fields): Fields => spec({ service: fields });
const condition = { type: 'Available', status: 'Sometimes' };

export const apiServices: RuleStory = {
  collection: '/apis/apiregistration.k8s.io/v1/apiservices',
  name: 'v1.apps',
  isThere: true,
  right: {
    metadata: { name: 'v1.$NS.example.com' },
    spec: {
      group: '$NS.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { name: 's', namespace: '$NS' },
    },
  },
  creates: [
    spec({ group: null }),
    spec({ version: null }),
    { metadata: { name: 'v1.' }, spec: { group: '' } },
    { metadata: { name: 'v2.' }, spec: { group: '', version: 'v2' } },
    { metadata: { name: 'v1.A b' }, spec: { group: 'A b' } },
    { metadata: { name: '1.a' }, spec: { group: 'a', version: '1' } },
    { metadata: { name: 'v1.a/b' }, spec: { group: 'a/b' } },
    { metadata: { name: 'v1.a/b', generateName: 'x' } },
    { metadata: { name: 'a' } },
    spec({ groupPriorityMinimum: 0 }),
    spec({ groupPriorityMinimum: 20_001, versionPriority: 1001 }),
    spec({ groupPriorityMinimum: 20_000, versionPriority: 1000 }),
    spec({ groupPriorityMinimum: -1, versionPriority: 0 }),
    spec({ groupPriorityMinimum: null, versionPriority: null }),
    service({ name: '' }),
    service({ namespace: '', port: 0 }),
    service({ port: 65_536 }),
    service({ port: 8443 }),
    spec({ insecureSkipTLSVerify: true }),
    spec({ caBundle: 'YQ==' }),
    spec({ insecureSkipTLSVerify: true, caBundle: 'YQ==' }),
    local({}),
    local({ insecureSkipTLSVerify: true, caBundle: 'YWI=' }),
    local({ caBundle: '' }),
    { status: { conditions: [condition] } },
    { metadata: { finalizers: ['f'] } },
  ],
  statuses: [
    { status: { conditions: [condition] } },
    { status: { conditions: [{ type: 'Available' }, condition] } },
  ],
  updates: [
    spec({ group: 'batch' }),
    spec({ version: 'v2' }),
    spec({ caBundle: 'YQ==', versionPriority: 0 }),
    spec({ service: { port: 70_000 } }),
  ],
};
