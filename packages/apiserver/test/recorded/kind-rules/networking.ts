import type { Fields } from '../kind-requests.ts';
import type { RuleStory } from './rule-story.ts';

/* networking.k8s.io/v1 */

const spec = (fields: Fields): Fields => ({ spec: fields });
const backend = { service: { name: 's', port: { number: 80 } } };
const rule = (path: Fields, host?: string): Fields =>
  spec({ rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }] });
const service = (fields: Fields): Fields => spec({ defaultBackend: { service: { name: 's', ...fields } } });
const resource = (fields: Fields): Fields =>
  spec({ defaultBackend: { service: null, resource: { kind: 'K', name: 'n', ...fields } } });
const annotated = (fields: Fields): Fields => ({
  metadata: { annotations: { 'kubernetes.io/ingress.class': 'c' } },
  spec: fields,
});

export const ingresses: RuleStory = {
  collection: '/apis/networking.k8s.io/v1/namespaces/$NS/ingresses',
  right: spec({ defaultBackend: backend }),
  creates: [
    spec({ defaultBackend: null }),
    spec({ defaultBackend: { service: null } }),
    spec({ defaultBackend: { resource: { kind: 'K', name: 'n' } } }),
    service({ name: '' }),
    service({ name: 'A' }),
    service({ name: '1a' }),
    service({ port: { number: 80, name: 'h' } }),
    service({ port: { number: null } }),
    service({ port: { number: 65_536 } }),
    service({ port: { number: -1 } }),
    service({ port: { number: null, name: 'H b' } }),
    service({ port: { number: null, name: 'http' } }),
    resource({}),
    resource({ kind: '', name: '' }),
    resource({ kind: 'a/b', name: '..' }),
    resource({ apiGroup: 'A' }),
    resource({ apiGroup: 'e.com' }),
    rule({}),
    rule({ pathType: null }),
    rule({ pathType: '' }),
    rule({ pathType: 'Sometimes' }),
    rule({ pathType: 'Exact', path: '' }),
    rule({ pathType: 'Prefix', path: 'x' }),
    rule({ path: '/a//b' }),
    rule({ path: '/a/./b' }),
    rule({ path: '/a/../b%2fc%2F' }),
    rule({ path: '/a/..' }),
    rule({ path: '/a/.' }),
    rule({ pathType: 'ImplementationSpecific', path: '' }),
    rule({ pathType: 'ImplementationSpecific', path: 'x' }),
    rule({ pathType: 'ImplementationSpecific', path: '/a//b' }),
    rule({ backend: {} }),
    spec({ rules: [{ http: { paths: [] } }] }),
    spec({ rules: [{ host: 'a.b' }] }),
    ...['a.b', 'A b', '1.2.3.4', '2001:db8::1', '*.a.b', '*', 'a.*.b', '*.A', 'a'.repeat(254)].flatMap(
      (host) => [rule({}, host), spec({ tls: [{ hosts: [host] }] })],
    ),
    spec({ tls: [{ secretName: 'A' }] }),
    spec({ tls: [{ secretName: 's' }] }),
    spec({ ingressClassName: 'A' }),
    spec({ ingressClassName: '' }),
    spec({ ingressClassName: 'c' }),
    annotated({}),
    annotated({ ingressClassName: 'c' }),
    annotated({ ingressClassName: 'd' }),
    { metadata: { name: 'A' } },
  ],
  statuses: [
    { ip: '1.2.3.4' },
    { ip: '01.2.3.4' },
    { ip: 'x' },
    { ip: '2001:DB8::1' },
    { hostname: 'A b' },
    { hostname: '1.2.3.4' },
    { hostname: 'a.b', ports: [{ port: 80, protocol: 'TCP' }] },
  ].map((ingress) => ({ status: { loadBalancer: { ingress: [ingress] } } })),
  updates: [annotated({ ingressClassName: 'd' }), service({ name: 'A' }), rule({ path: 'x' }), rule({})],
};

const parameters = (fields: Fields): Fields => spec({ parameters: { kind: 'K', name: 'n', ...fields } });

export const ingressClasses: RuleStory = {
  collection: '/apis/networking.k8s.io/v1/ingressclasses',
  name: '$NS',
  right: spec({ controller: 'e.com/c' }),
  creates: [
    spec({ controller: '' }),
    spec({ controller: 'c' }),
    spec({ controller: 'A/b c' }),
    spec({ controller: `e.com/${'c'.repeat(245)}` }),
    parameters({}),
    parameters({ kind: '', name: '' }),
    parameters({ kind: 'a/b', name: '..' }),
    parameters({ apiGroup: 'A' }),
    parameters({ scope: 'Sometimes' }),
    parameters({ scope: '' }),
    parameters({ scope: 'Namespace' }),
    parameters({ scope: 'Namespace', namespace: 'A' }),
    parameters({ scope: 'Namespace', namespace: '' }),
    parameters({ scope: 'Namespace', namespace: 'n' }),
    parameters({ namespace: 'n' }),
    { metadata: { name: 'A' } },
  ],
  updates: [spec({ controller: 'e.com/d' }), parameters({ scope: 'Sometimes' }), parameters({})],
};

const ingress = (fields: Fields): Fields => spec({ ingress: [fields] });
const port = (fields: Fields): Fields => ingress({ ports: [fields] });
const block = (fields: Fields): Fields => ingress({ from: [{ ipBlock: fields }] });

export const networkPolicies: RuleStory = {
  collection: '/apis/networking.k8s.io/v1/namespaces/$NS/networkpolicies',
  right: spec({ podSelector: {} }),
  creates: [
    spec({ podSelector: { matchLabels: { a: 'b c' } } }),
    spec({ policyTypes: ['Sideways'] }),
    spec({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
    spec({ policyTypes: ['Egress'] }),
    spec({ egress: [{ to: [{}], ports: [{ port: 0 }] }] }),
    spec({ egress: [{}] }),
    ingress({ from: [{}] }),
    ingress({ from: [{ podSelector: { matchLabels: { a: 'b c' } } }] }),
    ingress({ from: [{ namespaceSelector: { matchLabels: { a: 'b c' } } }] }),
    ingress({ from: [{ podSelector: {}, namespaceSelector: {} }] }),
    ingress({ from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }),
    block({ cidr: '' }),
    block({ cidr: 'x' }),
    block({ cidr: '10.0.0.1/8' }),
    block({ cidr: '10.0.0.0/8', except: ['x'] }),
    block({ cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] }),
    block({ cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] }),
    block({ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }),
    block({ cidr: '10.0.0.0/8', except: ['2001:db8::/64'] }),
    block({ cidr: '2001:db8::/64', except: ['2001:db8::/80'] }),
    port({ port: 0 }),
    port({ port: 80 }),
    port({ port: 'web' }),
    port({ port: 'A b' }),
    port({ port: 80, protocol: 'HTTP' }),
    port({ port: 80, protocol: '' }),
    port({ port: 80, endPort: 79 }),
    port({ port: 80, endPort: 65_536 }),
    port({ port: 80, endPort: 81 }),
    port({ port: 'web', endPort: 81 }),
    port({ endPort: 81 }),
    { metadata: { name: 'A' } },
  ],
  updates: [port({ port: 0 }), block({ cidr: 'x' }), spec({ policyTypes: ['Sideways'] }), port({ port: 80 })],
};

const parent = (fields: Fields): Fields => spec({ parentRef: fields });

export const addresses: RuleStory = {
  collection: '/apis/networking.k8s.io/v1/ipaddresses',
  name: '10.9.8.6',
  right: parent({ resource: 'services', namespace: 'default', name: 's' }),
  creates: [
    spec({ parentRef: null }),
    parent({ resource: '' }),
    parent({ resource: 'a/b', name: '..', namespace: 'c/d' }),
    parent({ name: '' }),
    parent({ group: 'A' }),
    parent({ group: 'e.com' }),
    ...['x', '01.2.3.4', '2001:DB8::1', '2001:db8::1', '::ffff:1.2.3.4'].map((name) => ({
      metadata: { name },
    })),
  ],
  updates: [parent({ name: 't' }), spec({ parentRef: null }), { metadata: { labels: { x: 'y' } } }],
};

const cidrs = (...list: readonly string[]): Fields => spec({ cidrs: list });

export const serviceNetworks: RuleStory = {
  collection: '/apis/networking.k8s.io/v1/servicecidrs',
  name: '$NS',
  right: cidrs('10.7.0.0/16'),
  creates: [
    cidrs(),
    cidrs('x'),
    cidrs('10.7.0.1/16'),
    cidrs('010.7.0.0/16'),
    cidrs('2001:DB8::/64'),
    cidrs('2001:db8::/64'),
    cidrs('10.7.0.0/16', '10.8.0.0/16'),
    cidrs('10.7.0.0/16', 'x'),
    cidrs('10.7.0.0/16', '2001:db8::/64'),
    cidrs('10.7.0.0/16', '2001:db8::/64', '10.8.0.0/16'),
    { metadata: { name: 'A' } },
  ],
  updates: [
    cidrs('10.8.0.0/16'),
    cidrs(),
    cidrs('10.7.0.0/16', 'x'),
    cidrs('10.8.0.0/16', '2001:db8::/64'),
    { metadata: { labels: { x: 'y' } } },
  ],
};
