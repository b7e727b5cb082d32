import { describe, expect, test } from '@jest/globals';
import { appCommand } from '../../src/flags/app-command.ts';
import {
  environmentPrefix,
  metricsPrefix,
  objectName,
  reporterName,
  userAgentOf,
  type ProgramOrName,
} from '../../src/identity/program-identity.ts';

const machine = `(${process.platform}/${process.arch})`;

interface Row {
  readonly program: ProgramOrName;
  readonly environment: string;
  readonly metrics: string;
  readonly object: string;
  readonly reporter: string;
  readonly agent: string;
}

test.each<Row>([
  {
    program: 'sites',
    environment: 'SITES_',
    metrics: 'sites_',
    object: 'sites',
    reporter: 'sites',
    agent: `sites/1 ${machine}`,
  },
  {
    program: { name: 'acme-sites', domain: 'acme.example' },
    environment: 'ACME_SITES_',
    metrics: 'acme_sites_',
    object: 'acme-sites',
    reporter: 'acme.example/acme-sites',
    agent: `acme-sites/1 ${machine}`,
  },
  {
    program: { name: 'sites', domain: 'acme.example', suite: 'acme' },
    environment: 'ACME_',
    metrics: 'acme_',
    object: 'acme-sites',
    reporter: 'acme.example/sites',
    agent: `sites/1 ${machine} acme`,
  },
])('program $program -> its own names', ({ program, environment, metrics, object, reporter, agent }) => {
  expect(environmentPrefix(program)).toBe(environment);
  expect(metricsPrefix(program)).toBe(metrics);
  expect(objectName(program)).toBe(object);
  expect(reporterName(program)).toBe(reporter);
  expect(userAgentOf(program, '1')).toBe(agent);
});

describe('appCommand', () => {
  const make = (identity: { name: string; domain?: string; suite?: string }): unknown =>
    appCommand({ ...identity, version: '1', description: 'An app.', gates: {}, flags: {} });

  test.each([
    { name: 'a' },
    { name: 'a-1', domain: 'localhost', suite: 'b2' },
    { name: 'a'.repeat(55), domain: 'example.com' },
    { name: 'a'.repeat(27), suite: 'b'.repeat(27) },
  ])('%j -> taken', (identity) => {
    expect(make(identity)).toMatchObject(identity);
  });

  test.each([
    { identity: { name: '' }, error: 'the name of the program is ""' },
    { identity: { name: 'Sites' }, error: 'the name of the program is "Sites": write a-z, 0-9 and "-"' },
    { identity: { name: '1st' }, error: 'the name of the program is "1st"' },
    { identity: { name: 'a-' }, error: 'the name of the program is "a-"' },
    { identity: { name: 'a_b' }, error: 'the name of the program is "a_b"' },
    { identity: { name: 'a', suite: 'a.b' }, error: 'the suite of the program is "a.b"' },
    { identity: { name: 'a'.repeat(56) }, error: 'has 56 characters: give the program a name of at most 55' },
    { identity: { name: 'a'.repeat(28), suite: 'b'.repeat(27) }, error: 'has 56 characters' },
    { identity: { name: 'a', domain: '' }, error: 'the domain of the program is "": write a DNS domain' },
    { identity: { name: 'a', domain: 'https://a.b' }, error: 'the domain of the program is "https://a.b"' },
    { identity: { name: 'a', domain: 'a..b' }, error: 'the domain of the program is "a..b"' },
    { identity: { name: 'a', domain: '-a.b' }, error: 'the domain of the program is "-a.b"' },
    { identity: { name: 'a', domain: 'a'.repeat(254) }, error: 'the domain of the program is "aaa' },
  ])('$identity -> refused: $error', ({ identity, error }) => {
    expect(() => make(identity)).toThrow(error);
  });
});
