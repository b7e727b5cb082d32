import { append } from '../meta/append.ts';
import { type FieldError, invalid, invalidObject, notSupported } from '../meta/field-error.ts';
import { isObject, type Json, type JsonObject } from '../meta/json.ts';
import type { Preconditions } from '../meta/preconditions.ts';
import { badRequest } from '../meta/status-error.ts';
import { DecodeError, decodeStruct } from '../schema/decode.ts';
import { openEnvelope, readMessage } from '../schema/protobuf.ts';
import { integer } from './list-options.ts';

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: Preconditions;
  /** Undefined: the default of the kind. */
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly isDryRun: boolean;
  /** The options as they were given, which admission webhooks are shown. */
  readonly sent: JsonObject;
  /**
   * Whether the action that deletes has already passed admission, with an object of another kind. Default
   * false.
   */
  readonly isAdmitted?: boolean;
  /**
   * Whether the object is deleted as part of a collection. The request then has no name that webhooks could
   * be shown. Default false.
   */
  readonly isCollection?: boolean;
}

const policies = ['Foreground', 'Background', 'Orphan', 'nil'];

/**
 * Reads the options from the body (JSON or protobuf) if there is one, and otherwise from the query. Throws
 * 400 and 422.
 */
export function parseDeleteOptions(body: Buffer, bodyType: string, query: URLSearchParams): DeleteOptions {
  const given = body.length > 0 ? fromBody(body, bodyType) : fromQuery(query);
  const { propagationPolicy, orphanDependents, dryRun, gracePeriodSeconds, preconditions } = given;
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.push(
      invalid(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  } else if (propagationPolicy !== undefined && !isPolicy(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, policies));
  }
  append(errors, validateDryRun(dryRun));
  if (errors.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', name: 'DeleteOptions' }, '', errors);
  }
  const policy = isPolicy(propagationPolicy) ? propagationPolicy : undefined;
  return {
    gracePeriodSeconds,
    preconditions: preconditions ?? {},
    propagationPolicy: orphanDependents === undefined ? policy : orphanDependents ? 'Orphan' : 'Background',
    isDryRun: dryRun.includes('All'),
    sent: {
      ...(gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds }),
      ...(preconditions === undefined ? undefined : { preconditions: { ...preconditions } }),
      ...(orphanDependents === undefined ? undefined : { orphanDependents }),
      ...(propagationPolicy === undefined ? undefined : { propagationPolicy }),
      ...(dryRun.length === 0 ? undefined : { dryRun: [...dryRun] }),
    },
  };
}

export function validateDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', [...dryRun], ['All'])];
}

interface GivenOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly dryRun: readonly string[];
  readonly preconditions: { uid?: string; resourceVersion?: string } | undefined;
}

function isPolicy(value: string | undefined): value is 'Orphan' | 'Background' | 'Foreground' {
  return value === 'Orphan' || value === 'Background' || value === 'Foreground';
}

function fromBody(body: Buffer, bodyType: string): GivenOptions {
  let parsed: Json;
  try {
    parsed =
      bodyType === 'application/vnd.kubernetes.protobuf'
        ? readProtobuf(body)
        : (JSON.parse(body.toString('utf8')) as Json);
  } catch (error) {
    if (error instanceof DecodeError) {
      throw badRequest(error.message);
    }
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ''}`,
    );
  }
  if (isObject(parsed) && typeof parsed['kind'] === 'string' && parsed['kind'] !== 'DeleteOptions') {
    const version = typeof parsed['apiVersion'] === 'string' ? parsed['apiVersion'] : '';
    throw badRequest(
      `no kind "${parsed['kind']}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    const { value } = decodeStruct('meta.v1.DeleteOptions', parsed);
    return {
      gracePeriodSeconds: value['gracePeriodSeconds'] as number | undefined,
      propagationPolicy: value['propagationPolicy'] as string | undefined,
      orphanDependents: value['orphanDependents'] as boolean | undefined,
      dryRun: (value['dryRun'] as string[] | undefined) ?? [],
      preconditions: value['preconditions'] as { uid?: string; resourceVersion?: string } | undefined,
    };
  } catch (error) {
    if (error instanceof DecodeError) {
      throw badRequest(error.message);
    }
    throw error;
  }
}

function readProtobuf(body: Buffer): Json {
  const { kind, apiVersion, raw } = openEnvelope(body);
  return { ...readMessage(raw, 'meta.v1.DeleteOptions'), kind, apiVersion };
}

function fromQuery(query: URLSearchParams): GivenOptions {
  const orphan = query.get('orphanDependents');
  return {
    gracePeriodSeconds: integer(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan === 'true' || orphan === '1',
    dryRun: query.getAll('dryRun'),
    preconditions: undefined,
  };
}
