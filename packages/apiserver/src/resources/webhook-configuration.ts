import { createAdmissionCompiler } from '../cel/admission-expression.ts';
import { append } from '../meta/append.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dns1035Label, dnsSubdomain } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { type MatchCondition, validateMatchConditions } from './match-condition.ts';
import { type OperationRule, applyRuleDefaults, validateRule } from './operation-rule.ts';
import { repeatedIn } from './repeated-values.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

/*
 * The webhook configurations of admissionregistration.k8s.io/v1, validated as in
 * pkg/apis/admissionregistration/validation/validation.go.
 */

export interface WebhookClientConfig extends JsonObject {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** A PEM bundle in base64. */
  caBundle?: string;
}

export interface Webhook extends JsonObject {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: OperationRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: string | null;
  timeoutSeconds?: number;
  admissionReviewVersions: string[] | null;
  /** CEL conditions. The webhook is called if all of them are true. */
  matchConditions?: MatchCondition[];
  /** Only for mutating webhooks. */
  reinvocationPolicy?: string;
}

export interface WebhookConfiguration extends KubeObject {
  webhooks?: Webhook[];
}

/** The suffix of configurations that the real server reads from files. */
const staticSuffix = '.static.k8s.io';
export const admissionGroup = 'admissionregistration.k8s.io';

/** The warnings for writes of any object in the group. */
export function staticNameWarnings({ metadata: { name = '' } }: KubeObject): readonly string[] {
  return name.endsWith(staticSuffix)
    ? [
        `metadata.name: names ending with "${staticSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];
}

export const mutatingWebhookConfigurations = configurationsOf('Mutating', 'Sqi0GUgDaX0=');
export const validatingWebhookConfigurations = configurationsOf('Validating', 'B0wHjQmsGNk=');

function configurationsOf(type: 'Mutating' | 'Validating', storageVersionHash: string): ResourceDefinition {
  const kind = `${type}WebhookConfiguration`;
  const validate = ({ webhooks = [] }: WebhookConfiguration): FieldError[] =>
    validateWebhooks(webhooks, type === 'Mutating');
  return {
    group: admissionGroup,
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
    allowUnconditionalUpdate: false,
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
          applyRuleDefaults(rule);
        }
        if (webhook.clientConfig.service !== undefined) {
          webhook.clientConfig.service.port ??= 443;
        }
      }
    },
    validate,
    warnings: staticNameWarnings,
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
    append(errors, validateRule(rule, `${path}.rules[${index}]`));
  }
  append(errors, [
    ...oneOf(webhook.failurePolicy, ['Fail', 'Ignore'], `${path}.failurePolicy`),
    ...oneOf(webhook.matchPolicy, ['Equivalent', 'Exact'], `${path}.matchPolicy`),
  ]);
  if ((webhook.sideEffects ?? '') === '') {
    errors.push(required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  } else {
    append(errors, oneOf(webhook.sideEffects ?? '', ['None', 'NoneOnDryRun'], `${path}.sideEffects`));
  }
  const { timeoutSeconds } = webhook;
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    errors.push(
      invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  }
  append(errors, [
    ...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`),
  ]);
  if (isMutating) {
    append(errors, oneOf(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], `${path}.reinvocationPolicy`));
  }
  append(errors, validateClientConfig(webhook.clientConfig, `${path}.clientConfig`));
  append(
    errors,
    validateMatchConditions(
      webhook.matchConditions ?? [],
      createAdmissionCompiler({}),
      `${path}.matchConditions`,
    ),
  );
  return errors;
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

/** @param path of the clientConfig */
export function validateClientConfig({ url, service }: WebhookClientConfig, path: string): FieldError[] {
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

/** @param whatIfNone the error if there are none */
export function validateReviewVersions(
  versions: readonly string[],
  path: string,
  whatIfNone = `must specify one of ${reviewVersions.join(', ')}`,
): FieldError[] {
  const listed = reviewVersions.join(', ');
  if (versions.length === 0) {
    return [required(path, whatIfNone)];
  }
  const errors: FieldError[] = [];
  const repeated = repeatedIn(versions);
  for (const [index, version] of versions.entries()) {
    if (repeated.has(index)) {
      errors.push(invalid(`${path}[${index}]`, version, 'duplicate version'));
      continue;
    }
    append(
      errors,
      dns1035Label(version, false).map((problem) => invalid(`${path}[${index}]`, version, problem)),
    );
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(path, [...versions], `must include at least one of ${listed}`));
  }
  return errors;
}
