import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* How requests are sorted and limited. */

const group = 'flowcontrol.apiserver.k8s.io/v1';
const spec = (fields: Fields): Fields => ({ spec: fields });
const conditions = (...list: readonly Fields[]): Fields => ({ status: { conditions: list } });
const subject = { kind: 'Group', group: { name: 'g' } };
const everything = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  namespaces: ['*'],
};
const paths = { verbs: ['get'], nonResourceURLs: ['/healthz'] };
const rule = (fields: Fields): Fields =>
  spec({ rules: [{ subjects: [subject], resourceRules: [everything], ...fields }] });
const subjects = (...list: readonly Fields[]): Fields => rule({ subjects: list });
const resources = (fields: Fields): Fields => rule({ resourceRules: [{ ...everything, ...fields }] });
const urls = (...nonResourceURLs: readonly string[]): Fields =>
  rule({ nonResourceRules: [{ ...paths, nonResourceURLs }] });
const account = (fields: Fields): Fields =>
  subjects({ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 's', ...fields } });

export const flowSchemas: RuleStory = {
  collection: `/apis/${group}/flowschemas`,
  name: 'catch-all',
  isThere: true,
  right: {
    metadata: { name: '$NS' },
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      rules: [{ subjects: [subject], resourceRules: [everything] }],
    },
  },
  creates: [
    ...[
      { matchingPrecedence: -1 },
      { matchingPrecedence: 0 },
      { matchingPrecedence: 1 },
      { matchingPrecedence: 2 },
      { matchingPrecedence: 10_001 },
      { matchingPrecedence: 10_000 },
      { distinguisherMethod: { type: '' } },
      { distinguisherMethod: { type: 'Sometimes' } },
      { distinguisherMethod: { type: 'ByNamespace' } },
      { priorityLevelConfiguration: null },
      { priorityLevelConfiguration: { name: 'A b' } },
      { priorityLevelConfiguration: { name: 'none' } },
      { rules: [] },
      { rules: [{}] },
    ].map(spec),
    subjects(),
    subjects({}),
    subjects({ kind: 'Sometimes' }),
    subjects({ kind: 'Group' }, { kind: 'User' }, { kind: 'ServiceAccount' }),
    subjects({ kind: 'Group', group: { name: '' } }, { kind: 'User', user: { name: '' } }),
    subjects({ ...subject, user: { name: 'u' }, serviceAccount: { namespace: 'n', name: 's' } }),
    subjects({ ...subject, kind: 'User', user: { name: 'u' }, serviceAccount: {} }),
    subjects({ ...subject, kind: 'ServiceAccount', user: { name: 'u' }, serviceAccount: {} }),
    account({}),
    account({ name: '*' }),
    account({ name: 'A b', namespace: 'a.b' }),
    account({ namespace: '*' }),
    rule({ resourceRules: [] }),
    rule({ resourceRules: [], nonResourceRules: [paths] }),
    resources({ verbs: [] }),
    resources({ verbs: ['*', 'get'] }),
    resources({ verbs: ['get', 'eat'] }),
    resources({ verbs: ['get', 'proxy'] }),
    resources({ apiGroups: [] }),
    resources({ apiGroups: ['*', ''] }),
    resources({ apiGroups: ['', 'a b'] }),
    resources({ resources: [] }),
    resources({ resources: ['*', 'pods'] }),
    resources({ namespaces: [] }),
    resources({ namespaces: [], clusterScope: true }),
    resources({ namespaces: ['*', 'n'] }),
    resources({ namespaces: ['n', 'A b', 'a.b'] }),
    rule({ nonResourceRules: [{}] }),
    rule({ nonResourceRules: [{ verbs: ['eat'], nonResourceURLs: ['*', '/'] }] }),
    urls('*'),
    urls('/', '/healthz/*', '/a'),
    urls('', 'a', '/a b', '/a//b', '/a*', '/*/*', '/a/*/b'),
    { ...conditions({ type: '' }), metadata: { name: 'exempt' } },
    { metadata: { name: 'catch-all' } },
    { metadata: { name: 'A' } },
    { metadata: { finalizers: ['f'] } },
  ],
  statuses: [conditions({}), conditions({ type: 'T' }, { type: 'T', status: 'Sometimes' })],
  updates: [
    spec({ matchingPrecedence: 9999 }),
    spec({ distinguisherMethod: null }),
    spec({ rules: null }),
    { metadata: { labels: { 'a b': 'c' } } },
  ],
};

const limited = (fields: Fields): Fields => spec({ limited: fields });
const response = (limitResponse: Fields): Fields => limited({ limitResponse });
const queuing = (fields: Fields): Fields => response({ type: 'Queue', queuing: fields });
const exempt = (fields: Fields): Fields => ({
  metadata: { name: 'exempt' },
  spec: { type: 'Exempt', limited: null, exempt: fields },
});

export const priorityLevels: RuleStory = {
  collection: `/apis/${group}/prioritylevelconfigurations`,
  name: '$NS',
  right: spec({ type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }),
  creates: [
    spec({ type: '' }),
    spec({ type: 'Sometimes' }),
    spec({ type: 'Exempt' }),
    spec({ type: 'Exempt', limited: null }),
    spec({ limited: null }),
    spec({ exempt: {} }),
    limited({ limitResponse: null }),
    limited({ nominalConcurrencyShares: -1 }),
    limited({ nominalConcurrencyShares: 0 }),
    limited({ lendablePercent: -1 }),
    limited({ lendablePercent: 101 }),
    limited({ lendablePercent: 100, borrowingLimitPercent: 0 }),
    limited({ borrowingLimitPercent: -1 }),
    limited({ borrowingLimitPercent: 101 }),
    response({ type: '' }),
    response({ type: 'Sometimes' }),
    response({ type: 'Queue' }),
    response({ type: 'Reject', queuing: {} }),
    queuing({}),
    queuing({ queues: -1 }),
    queuing({ queues: 10_000_001 }),
    queuing({ queues: 10_000_000, handSize: 2 }),
    queuing({ handSize: -1 }),
    queuing({ handSize: 65 }),
    queuing({ handSize: 11 }),
    queuing({ handSize: 10, queueLengthLimit: -1 }),
    exempt({}),
    exempt({ nominalConcurrencyShares: -1, lendablePercent: 101 }),
    exempt({ nominalConcurrencyShares: 5, lendablePercent: 5 }),
    { metadata: { name: 'exempt' } },
    { metadata: { name: 'exempt' }, spec: { type: 'Exempt' } },
    { metadata: { name: 'catch-all' } },
    { metadata: { name: 'catch-all' }, spec: { limited: { nominalConcurrencyShares: 5 } } },
    { metadata: { name: 'A' } },
    {
      metadata: {
        annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' },
      },
    },
  ],
  statuses: [
    conditions({}),
    conditions({ type: 'T' }, { type: 'T' }),
    { ...conditions({ type: 'T', status: 'Sometimes' }), metadata: { labels: { a: 'b' } } },
    limited({ nominalConcurrencyShares: 4 }),
  ],
  updates: [
    spec({ type: 'Exempt' }),
    limited({ nominalConcurrencyShares: 4 }),
    limited({ nominalConcurrencyShares: null }),
    queuing({ handSize: 65 }),
    queuing({ handSize: 6 }),
    response({ type: 'Reject' }),
    { metadata: { labels: { a: 'b' } }, status: { conditions: [] } },
  ],
};
