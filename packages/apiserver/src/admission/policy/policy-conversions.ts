import { StatusError } from '../../meta/status-error.ts';
import { convertedEntries, knownConversion } from '../../resources/converted-entries.ts';
import { type ResourceDefinition, keyspaceOf } from '../../resources/resource-definition.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AdmissionRequest } from '../admission.ts';
import { isPrepared, prepareForm } from '../object-form.ts';

/*
 * Calls conversion webhooks before policies are evaluated, because the evaluation is synchronous. The objects
 * of the request and the params are converted. If a conversion fails, the evaluation finds it missing and
 * reports that.
 */

/** The forms that the expressions of a matching policy see. */
interface ShownToPolicy {
  readonly form: ResourceDefinition;
  readonly ofParams: ResourceDefinition | undefined;
}

/** Returns a promise only if a webhook has to be called. */
export function convertForPolicies(
  shown: readonly ShownToPolicy[],
  request: AdmissionRequest,
): ConversionProblems | Promise<ConversionProblems> {
  const forms = new Set<ResourceDefinition>();
  const kindsOfParams = new Set<ResourceDefinition>();
  for (const { form, ofParams } of shown) {
    if (isPrepared(request, form)) {
      forms.add(form);
    }
    if (ofParams?.askedConversion !== undefined) {
      kindsOfParams.add(ofParams);
    }
  }
  return forms.size === 0 && kindsOfParams.size === 0 ? none : convertAll(request, forms, kindsOfParams);
}

/** Why the request could not be converted, by form. */
export type ConversionProblems = ReadonlyMap<ResourceDefinition, string>;

const none: ConversionProblems = new Map();

async function convertAll(
  request: AdmissionRequest,
  forms: ReadonlySet<ResourceDefinition>,
  kindsOfParams: ReadonlySet<ResourceDefinition>,
): Promise<ConversionProblems> {
  const problems = new Map<ResourceDefinition, string>();
  for (const form of forms) {
    try {
      await prepareForm(request, form);
    } catch (error) {
      problems.set(form, messageOf(error));
    }
  }
  await convertParams(kindsOfParams, request.storage);
  return problems;
}

/**
 * Converts all stored objects of the kinds. Repeats until none is missing, because objects may be written in
 * the meantime, but gives up on a kind whose conversion fails.
 */
async function convertParams(kinds: ReadonlySet<ResourceDefinition>, storage: Storage): Promise<void> {
  const failed = new Set<ResourceDefinition>();
  const unconverted = (): ResourceDefinition | undefined =>
    [...kinds].find(
      (definition) =>
        !failed.has(definition) &&
        storage
          .list(keyspaceOf(definition))
          .some((entry) => knownConversion(definition, entry) === undefined),
    );
  for (let next = unconverted(); next !== undefined; next = unconverted()) {
    try {
      await convertedEntries(next, storage.list(keyspaceOf(next)));
    } catch (error) {
      if (!(error instanceof StatusError)) {
        throw error;
      }
      failed.add(next);
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof StatusError) {
    return error.message;
  }
  throw error;
}
