import { type FieldError, duplicate, invalid, notSupported, required, tooMany } from '../meta/field-error.ts';
import { CelFailure } from '../cel/function-table.ts';
import { requestExpression } from '../cel/match-condition.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dns1035Label, dnsSubdomain, qualifiedNameProblems } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

/*
 * The webhook configurations of admissionregistration.k8s.io/v1, validated as
 * pkg/apis/admissionregistration/validation/validation.go does.
 */

export interface WebhookRule extends JsonObject {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

export interface WebhookClientConfig extends JsonObject {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** PEM in base64. */
  caBundle?: string;
}

export interface Webhook extends JsonObject {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: WebhookRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: string | null;
  timeoutSeconds?: number;
  admissionReviewVersions: string[] | null;
  /** In CEL: the webhook is called where all are true. */
  matchConditions?: MatchCondition[];
  /** Mutating ones only. */
  reinvocationPolicy?: string;
}

export interface MatchCondition extends JsonObject {
  name: string;
  expression: string;
}

export interface WebhookConfiguration extends KubeObject {
  webhooks?: Webhook[];
}

/** Of configurations that servers read from files. */
const staticSuffix = '.static.k8s.io';
export const webhookGroup = 'admissionregistration.k8s.io';

export const mutatingWebhookConfigurations = configurationsOf('Mutating', 'Sqi0GUgDaX0=');
export const validatingWebhookConfigurations = configurationsOf('Validating', 'B0wHjQmsGNk=');

function configurationsOf(type: 'Mutating' | 'Validating', storageVersionHash: string): ResourceDefinition {
  const kind = `${type}WebhookConfiguration`;
  const validate = ({ webhooks = [] }: WebhookConfiguration): FieldError[] =>
    validateWebhooks(webhooks, type === 'Mutating');
  return {
    group: webhookGroup,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    categories: ['api-extensions'],
    namespaced: false,
    struct: `admissionregistration.v1.${kind}`,
    nameRule: dnsSubdomain,
    takesAnyFinalizer: true,
    storageVersionHash,
    hasGeneration: true,
    applyDefaults({ webhooks = [] }: WebhookConfiguration) {
      for (const webhook of webhooks) {
        if (type === 'Mutating') {
          webhook.reinvocationPolicy ??= 'Never';
        }
        webhook.failurePolicy ??= 'Fail';
        webhook.matchPolicy ??= 'Equivalent';
        webhook.namespaceSelector ??= {};
        webhook.objectSelector ??= {};
        webhook.timeoutSeconds ??= 10;
        for (const rule of webhook.rules ?? []) {
          rule.scope ??= '*';
        }
        if (webhook.clientConfig.service !== undefined) {
          webhook.clientConfig.service.port ??= 443;
        }
      }
    },
    validate,
    warnings: ({ metadata: { name = '' } }) =>
      name.endsWith(staticSuffix)
        ? [
            `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
          ]
        : [],
    columns: [
      nameColumn,
      { ...column('Webhooks', 'How many webhooks the configuration has'), type: 'integer' },
      ageColumn,
    ],
    cells: ({ metadata, webhooks = [] }: WebhookConfiguration, { now }) => [
      metadata.name ?? '',
      webhooks.length,
      since(metadata.creationTimestamp, now),
    ],
  };
}

const reviewVersions = ['v1', 'v1beta1'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function validateWebhooks(webhooks: readonly Webhook[], isMutating: boolean): FieldError[] {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const errors = [
      ...validateWebhook(webhook, isMutating, path),
      ...validateReviewVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`),
    ];
    if (webhook.name !== '' && names.has(webhook.name)) {
      errors.push(duplicate(`${path}.name`, webhook.name));
    }
    names.add(webhook.name);
    return errors;
  });
}

function validateWebhook(webhook: Webhook, isMutating: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [...validateName(webhook.name, `${path}.name`)];
  for (const [index, rule] of (webhook.rules ?? []).entries()) {
    errors.push(...validateRule(rule, `${path}.rules[${index}]`));
  }
  errors.push(
    ...oneOf(webhook.failurePolicy, ['Fail', 'Ignore'], `${path}.failurePolicy`),
    ...oneOf(webhook.matchPolicy, ['Equivalent', 'Exact'], `${path}.matchPolicy`),
  );
  if ((webhook.sideEffects ?? '') === '') {
    errors.push(required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  } else {
    errors.push(...oneOf(webhook.sideEffects ?? '', ['None', 'NoneOnDryRun'], `${path}.sideEffects`));
  }
  const { timeoutSeconds } = webhook;
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    errors.push(
      invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  }
  errors.push(
    ...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`),
  );
  if (isMutating) {
    errors.push(...oneOf(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], `${path}.reinvocationPolicy`));
  }
  errors.push(...validateClientConfig(webhook.clientConfig, `${path}.clientConfig`));
  errors.push(...validateMatchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`));
  return errors;
}

const mostConditions = 64;

function validateMatchConditions(conditions: readonly MatchCondition[], path: string): FieldError[] {
  const errors: FieldError[] =
    conditions.length > mostConditions ? [tooMany(path, conditions.length, mostConditions)] : [];
  const names = new Set<string>();
  for (const [index, { name, expression }] of conditions.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...validateExpression(expression, `${at}.expression`));
    if (name === '') {
      errors.push(required(`${at}.name`));
    } else {
      errors.push(...qualifiedNameProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
      if (names.has(name)) {
        errors.push(duplicate(`${at}.name`, name));
      }
      names.add(name);
    }
  }
  return errors;
}

function validateExpression(expression: string, path: string): FieldError[] {
  const trimmed = expression.trim();
  if (trimmed === '') {
    return [required(path)];
  }
  try {
    requestExpression(trimmed);
    return [];
  } catch (error) {
    if (error instanceof CelFailure) {
      const isCompiler = error.message.startsWith('ERROR: ');
      return [invalid(path, trimmed, `${isCompiler ? 'compilation failed: ' : ''}${error.message}`)];
    }
    throw error;
  }
}

function oneOf(value: string | undefined, supported: readonly string[], path: string): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

function validateName(name: string, path: string): FieldError[] {
  if (name === '') {
    return [required(path)];
  }
  const problems = dnsSubdomain(name, false);
  if (problems.length > 0) {
    return problems.map((problem) => invalid(path, name, problem));
  }
  return name.split('.').length < 3
    ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function validateRule(rule: WebhookRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const wildcardAlone = (values: readonly string[], field: string, others: string): void => {
    if (values.length === 0) {
      errors.push(required(`${path}.${field}`));
    }
    if (values.length > 1 && values.includes('*')) {
      errors.push(
        invalid(`${path}.${field}`, [...values], `if '*' is present, must not specify other ${others}`),
      );
    }
  };
  wildcardAlone(rule.operations ?? [], 'operations', 'operations');
  for (const [index, operation] of (rule.operations ?? []).entries()) {
    errors.push(...oneOf(operation, operations, `${path}.operations[${index}]`));
  }
  wildcardAlone(rule.apiGroups ?? [], 'apiGroups', 'API groups');
  wildcardAlone(rule.apiVersions ?? [], 'apiVersions', 'API versions');
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === '') {
      errors.push(required(`${path}.apiVersions[${index}]`));
    }
  }
  errors.push(...validateRuleResources(rule.resources ?? [], `${path}.resources`));
  errors.push(...oneOf(rule.scope, ['*', 'Cluster', 'Namespaced'], `${path}.scope`));
  return errors;
}

function validateRuleResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) {
    return [required(path)];
  }
  const errors: FieldError[] = [];
  const withAllSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  for (const [index, entry] of resources.entries()) {
    if (entry === '') {
      errors.push(required(`${path}[${index}]`));
      continue;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      continue;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    const covered = [
      ...(withAllSubresources.has(resource) ? [`${resource}/*`] : []),
      ...(ofAllResources.has(subresource) ? [`*/${subresource}`] : []),
    ];
    for (const wider of covered) {
      errors.push(invalid(`${path}[${index}]`, entry, `if '${wider}' is present, must not specify ${entry}`));
    }
    if (subresource === '*') {
      withAllSubresources.add(resource);
    }
    if (resource === '*') {
      ofAllResources.add(subresource);
    }
  }
  const plain = resources.filter((entry) => entry !== '' && !entry.includes('/'));
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, [...resources], "if '*/*' is present, must not specify other resources"));
  }
  if (plain.includes('*') && plain.at(-1) !== '*') {
    errors.push(
      invalid(
        path,
        [...resources],
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  }
  return errors;
}

function validateClientConfig({ url, service }: WebhookClientConfig, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) {
    return validateUrl(url, `${path}.url`);
  }
  return service === undefined ? [] : validateService(service, `${path}.service`);
}

const urlParts =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/;
const urlForm = '; desired format: https://host[/path]';

function validateUrl(url: string, path: string): FieldError[] {
  if (url.startsWith(':')) {
    const problem = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [required(path, `url must be a valid URL: ${problem}${urlForm}`)];
  }
  const [, scheme = '', user, host = '', query = '', fragment = ''] = urlParts.exec(url) ?? [];
  const errors: FieldError[] = [];
  const refuse = (part: string, problem: string): void => {
    errors.push(invalid(path, part, problem));
  };
  if (scheme !== 'https') {
    refuse(scheme, `'https' is the only allowed URL scheme${urlForm}`);
  }
  if (host === '') {
    refuse(host, `host must be specified${urlForm}`);
  }
  if (user !== undefined) {
    refuse(user, 'user information is not permitted in the URL');
  }
  if (fragment !== '') {
    refuse(fragment, 'fragments are not permitted in the URL');
  }
  if (query !== '') {
    refuse(query, 'query parameters are not permitted in the URL');
  }
  return errors;
}

function validateService(
  { namespace, name, path: urlPath = '', port = 443 }: NonNullable<WebhookClientConfig['service']>,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') {
    errors.push(required(`${path}.name`));
  }
  if (namespace === '') {
    errors.push(required(`${path}.namespace`));
  }
  if (port < 1 || port > 65535) {
    errors.push(invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  if (urlPath === '' || urlPath === '/') {
    return errors;
  }
  const refuse = (problem: string): void => {
    errors.push(invalid(`${path}.path`, urlPath, problem));
  };
  if (urlPath === '//') {
    refuse('segment[0] may not be empty');
    return errors;
  }
  if (!urlPath.startsWith('/')) {
    refuse("must start with a '/'");
  }
  for (const [index, step] of urlPath.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') {
      refuse(`segment[${index}] may not be empty`);
    } else {
      for (const problem of dnsSubdomain(step, false)) {
        refuse(`segment[${index}]: ${problem}`);
      }
    }
  }
  return errors;
}

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  const listed = reviewVersions.join(', ');
  if (versions.length === 0) {
    return [required(path, `must specify one of ${listed}`)];
  }
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) {
      errors.push(invalid(`${path}[${index}]`, version, 'duplicate version'));
      continue;
    }
    errors.push(
      ...dns1035Label(version, false).map((problem) => invalid(`${path}[${index}]`, version, problem)),
    );
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(path, [...versions], `must include at least one of ${listed}`));
  }
  return errors;
}
