import { CallError, type ServiceAddresses, postReview } from '../admission/webhook-call.ts';
import { printKind } from '../meta/group-version.ts';
import { cloneJson } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { internalError } from '../meta/status-error.ts';
import type { After } from '../meta/timer.ts';
import { decodeAs } from '../resources/decode-object.ts';
import type { AskedConversion } from '../resources/resource-definition.ts';
import type { WebhookClientConfig } from '../resources/webhook-configuration.ts';
import { applyDefaults } from '../structural/defaults.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { ReviewError, asSent, conversionReviewOf, readConverted } from './conversion-review.ts';
import { convertedObject } from './converted-object.ts';

/*
 * The conversion strategy Webhook, as k8s.io/apiextensions-apiserver/pkg/apiserver/conversion implements it.
 * An object that already has the wanted version is never sent.
 */

/** The timeout of one call, in seconds. */
const callTimeout = 30;

/** What a call of a webhook needs from the server. */
export interface WebhookSurroundings {
  readonly services: ServiceAddresses;
  readonly after: After;
}

export interface ConversionVersions {
  /** The apiVersion that the resource serves; `stored` is the one in storage. */
  readonly served: string;
  readonly stored: string;
  /** The schemas of all versions of the kind, by apiVersion. */
  readonly schemas: ReadonlyMap<string, SchemaNode>;
  readonly definitionOf: AskedConversion['definitionOf'];
}

/** Converts objects between the stored version and one served version by the webhook of their definition. */
export function webhookConversion(
  clientConfig: WebhookClientConfig,
  reviewVersions: readonly string[],
  { served, stored, schemas, definitionOf }: ConversionVersions,
  { services, after }: WebhookSurroundings,
): AskedConversion {
  const { caBundle = '' } = clientConfig;
  const isBlank = Buffer.from(caBundle, 'base64').toString('latin1').trim() === '';
  const config = isBlank ? { ...clientConfig, caBundle: '' } : clientConfig;

  async function ask(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]> {
    const [first] = objects;
    if (first === undefined) {
      return [];
    }
    const failed = (problem: string): Error =>
      internalError(`conversion webhook for ${printKind(first)} ${problem}`);
    const sent = objects.map(asSent);
    try {
      const review = conversionReviewOf(sent, apiVersion, reviewVersions);
      const text = await postReview(config, services, callTimeout, review.json, after);
      const answered = readConverted(text, review);
      if (answered.length !== objects.length) {
        throw failed(`returned ${answered.length} objects, expected ${objects.length}`);
      }
      return objects.map((object, index) => convertedObject(object, answered[index], apiVersion, index));
    } catch (error) {
      throw error instanceof CallError || error instanceof ReviewError
        ? failed(`failed: ${error.message}`)
        : error;
    }
  }

  function pruned(object: KubeObject): KubeObject {
    const { kind, apiVersion } = object;
    return decodeAs(object, { kind, apiVersion, struct: undefined, schema: schemas.get(apiVersion) }).object;
  }

  /**
   * Prunes a stored object and applies defaults, because the definition may have changed since it was
   * written.
   */
  function read(object: KubeObject): KubeObject {
    const schema = schemas.get(object.apiVersion);
    if (schema === undefined) {
      throw unknownVersion('from', object.apiVersion);
    }
    const value = cloneJson(pruned(object));
    applyDefaults(value, schema);
    return value;
  }

  return {
    async fromStored(objects) {
      const before = objects.map(read);
      const others = before.filter(({ apiVersion }) => apiVersion !== served);
      if (others.length === 0) {
        return before;
      }
      const converted = await ask(others, served);
      const byOriginal = new Map(others.map((object, index) => [object, converted[index]]));
      return before.map((object) => {
        const other = byOriginal.get(object);
        return other === undefined ? object : pruned(other);
      });
    },
    async toStored(object) {
      if (served === stored) {
        return pruned(object);
      }
      const [converted = object] = await ask([object], stored);
      return pruned(converted);
    },
    async inVersion(object, apiVersion) {
      if (object.apiVersion === apiVersion) {
        return object;
      }
      if (!schemas.has(apiVersion)) {
        throw unknownVersion('to', apiVersion);
      }
      const [converted = object] = await ask([object], apiVersion);
      return converted;
    },
    definitionOf,
  };
}

function unknownVersion(direction: 'from' | 'to', apiVersion: string): Error {
  return internalError(`request to convert CR ${direction} an invalid group/version: ${apiVersion}`);
}
