import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { goValue } from '../go-diff.ts';
import { repeatedIn } from '../repeated-values.ts';
import { exemptName, mandatoryFlowSchemas } from './suggested-flow-control.ts';

/* Validates flow schemas, and the conditions that they and priority levels have. */

export interface FlowSchema extends KubeObject {
  spec: {
    priorityLevelConfiguration: { name: string };
    matchingPrecedence: number;
    distinguisherMethod?: { type: string };
    rules?: FlowRule[];
  } & JsonObject;
  status: { conditions?: FlowSchemaCondition[] };
}

export interface FlowSchemaCondition extends JsonObject {
  type?: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** The requests that a rule matches. A list with just a star matches everything. */
export interface FlowRule extends JsonObject {
  subjects: FlowSubject[];
  resourceRules?: ResourceFlowRule[];
  nonResourceRules?: PathFlowRule[];
}

export interface FlowSubject extends JsonObject {
  kind: string;
  user?: { name: string };
  group?: { name: string };
  serviceAccount?: { namespace: string; name: string };
}

export interface ResourceFlowRule extends JsonObject {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  /** Whether the rule matches requests without a namespace. */
  clusterScope?: boolean;
  /** The namespaces of the requests that the rule matches. */
  namespaces?: string[];
}

export interface PathFlowRule extends JsonObject {
  verbs: string[];
  nonResourceURLs: string[];
}

const greatestPrecedence = 10_000;
const distinguishers = ['ByNamespace', 'ByUser'];
const any = '*';

export function validateFlowSchema({ metadata, spec }: FlowSchema): FieldError[] {
  const { name = '' } = metadata;
  const { matchingPrecedence: precedence, distinguisherMethod, priorityLevelConfiguration: level } = spec;
  const mandatory = mandatoryFlowSchemas.find((schema) => schema.metadata.name === name);
  const precedenceProblems = [
    ...(precedence <= 0 ? ['must be a positive value'] : []),
    ...(precedence > greatestPrecedence ? [`must not be greater than ${greatestPrecedence}`] : []),
    ...(precedence === 1 && name !== exemptName
      ? ["only the schema named 'exempt' may have matchingPrecedence 1"]
      : []),
  ];
  return [
    ...precedenceProblems.map((problem) => invalid('spec.matchingPrecedence', precedence, problem)),
    ...(distinguisherMethod === undefined || distinguishers.includes(distinguisherMethod.type)
      ? []
      : [
          notSupported(
            'spec.distinguisherMethod.type',
            goValue({ ...distinguisherMethod }, 'flowcontrol.v1.FlowDistinguisherMethod'),
            distinguishers,
          ),
        ]),
    ...(level.name === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : dnsSubdomain(level.name, false).map((problem) =>
          invalid('spec.priorityLevelConfiguration.name', level.name, problem),
        )),
    ...(spec.rules ?? []).flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...(mandatory === undefined || jsonEqual(spec, mandatory.spec)
      ? []
      : [
          invalid(
            'spec',
            goValue(spec, 'flowcontrol.v1.FlowSchemaSpec'),
            `spec of '${name}' must equal the fixed value`,
          ),
        ]),
  ];
}

export function validateFlowConditions(conditions: readonly FlowSchemaCondition[] = []): FieldError[] {
  const repeated = repeatedIn(conditions.map(({ type = '' }) => type));
  return conditions.flatMap(({ type = '' }, index) => {
    const at = `status.conditions[${index}].type`;
    return [...(repeated.has(index) ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}

/** A list that was sent; objects that are stored have all of their lists. */
const listed = <Item>(list: readonly Item[] | null | undefined): readonly Item[] => list ?? [];

function validateRule(rule: FlowRule, path: string): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = listed(rule.subjects);
  return [
    ...(subjects.length === 0
      ? [required(`${path}.subjects`, 'subjects must contain at least one value')]
      : []),
    ...subjects.flatMap((subject, index) => validateSubject(subject, `${path}.subjects[${index}]`)),
    ...(resourceRules.length === 0 && nonResourceRules.length === 0
      ? [required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resourceRules.flatMap((each, index) => validateResourceRule(each, `${path}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((each, index) =>
      validatePathRule(each, `${path}.nonResourceRules[${index}]`),
    ),
  ];
}

const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
const subjectKinds = ['Group', 'ServiceAccount', 'User'] as const;

function validateSubject(subject: FlowSubject, path: string): FieldError[] {
  const kind = subjectKinds.find((each) => each === subject.kind);
  if (kind === undefined) {
    return [notSupported(`${path}.kind`, subject.kind, subjectKinds)];
  }
  const others = (['ServiceAccount', 'User', 'Group'] as const).filter((each) => each !== kind);
  return [
    ...validateNamed(subject, kind, `${path}.${subjectFields[kind]}`),
    ...others.flatMap((other) => {
      const field = subjectFields[other];
      return subject[field] === undefined
        ? []
        : [forbiddenField(`${path}.${field}`, `${field} is forbidden when subject kind is not '${other}'`)];
    }),
  ];
}

function validateNamed(subject: FlowSubject, kind: keyof typeof subjectFields, path: string): FieldError[] {
  const field = subjectFields[kind];
  const named = subject[field];
  if (named === undefined) {
    return [required(path, `${field} is required when subject kind is '${kind}'`)];
  }
  const { name } = named;
  const ofName = name === '' ? [required(`${path}.name`)] : [];
  if (kind !== 'ServiceAccount') {
    return ofName;
  }
  const { namespace = '' } = subject.serviceAccount ?? {};
  return [
    ...ofName,
    ...(name === '' || name === any
      ? []
      : dnsSubdomain(name, false).map((problem) => invalid(`${path}.name`, name, problem))),
    ...(namespace === ''
      ? [required(`${path}.namespace`, 'must specify namespace for service account')]
      : dnsLabel(namespace, false).map((problem) => invalid(`${path}.namespace`, namespace, problem))),
  ];
}

const supportedVerbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

function validateVerbs(given: readonly string[], path: string): FieldError[] {
  const verbs = listed(given);
  const at = `${path}.verbs`;
  if (verbs.length === 0) {
    return [required(at, 'verbs must contain at least one value')];
  }
  return verbs.includes(any)
    ? aloneErrors(verbs, at, 'verbs')
    : verbs.every((verb) => supportedVerbs.includes(verb))
      ? []
      : [notSupported(at, [...verbs], supportedVerbs)];
}

/** A star must stand alone. */
function aloneErrors(values: readonly string[], path: string, what: string): FieldError[] {
  return values.length > 1 && values.includes(any)
    ? [invalid(path, [...values], `if '*' is present, must not specify other ${what}`)]
    : [];
}

function validateResourceRule(rule: ResourceFlowRule, path: string): FieldError[] {
  const { verbs, clusterScope = false } = rule;
  const [groups, resources] = [listed(rule.apiGroups), listed(rule.resources)];
  const namespaces = listed(rule.namespaces);
  const at = `${path}.namespaces`;
  return [
    ...validateVerbs(verbs, path),
    ...(groups.length === 0
      ? [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]
      : aloneErrors(groups, `${path}.apiGroups`, 'api groups')),
    ...(resources.length === 0
      ? [required(`${path}.resources`, 'resource rules must supply at least one resource')]
      : aloneErrors(resources, `${path}.resources`, 'resources')),
    ...(namespaces.length === 0 && !clusterScope
      ? [required(at, 'resource rules that are not cluster scoped must supply at least one namespace')]
      : []),
    ...(namespaces.includes(any)
      ? aloneErrors(namespaces, at, 'namespaces')
      : namespaces.flatMap((namespace, index) =>
          dnsLabel(namespace, false).map((problem) =>
            invalid(
              `${at}[${index}]`,
              namespace,
              `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
            ),
          ),
        )),
  ];
}

function validatePathRule(rule: PathFlowRule, path: string): FieldError[] {
  const urls = listed(rule.nonResourceURLs);
  const at = `${path}.nonResourceURLs`;
  return [
    ...validateVerbs(rule.verbs, path),
    ...(urls.length === 0 ? [required(at, 'nonResourceURLs must contain at least one value')] : []),
    ...(urls.includes(any)
      ? aloneErrors(urls, at, 'non-resource URLs')
      : urls.flatMap((url, index) => {
          const problem = problemOfPath(url);
          return problem === undefined ? [] : [invalid(`${at}[${index}]`, url, problem)];
        })),
  ];
}

function problemOfPath(path: string): string | undefined {
  if (path === '') {
    return 'must not be empty';
  }
  if (!path.startsWith('/')) {
    return 'must start with slash';
  }
  if (path.includes(' ')) {
    return 'must not contain white-space';
  }
  if (path.includes('//')) {
    return 'must not contain double slash';
  }
  const stars = path.split(any).length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*'))
    ? 'wildcard can only do suffix matching'
    : undefined;
}
