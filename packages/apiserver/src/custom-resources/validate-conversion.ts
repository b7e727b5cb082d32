import { X509Certificate } from 'node:crypto';
import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { validateClientConfig, validateReviewVersions } from '../resources/webhook-configuration.ts';
import type { CustomResourceConversion } from './custom-resource-definition.ts';

/* Validates spec.conversion. Errors name its fields as in the real server's internal form of a definition. */

const strategies = ['None', 'Webhook'];
const configField = 'spec.conversion.webhookClientConfig';
const versionsField = 'spec.conversion.conversionReviewVersions';

/** @param mayTrustNothing whether a caBundle without a certificate is accepted */
export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  mayTrustNothing: boolean,
): FieldError[] {
  if (conversion === undefined) {
    return [];
  }
  const { strategy, webhook = {} } = conversion;
  const { clientConfig, conversionReviewVersions } = webhook;
  const versions = conversionReviewVersions ?? [];
  const errors: FieldError[] = [];
  if (strategy === '') {
    errors.push(required('spec.conversion.strategy'));
  } else if (!strategies.includes(strategy)) {
    errors.push(notSupported('spec.conversion.strategy', strategy, strategies));
  }
  if (strategy === 'Webhook') {
    append(errors, [
      ...(clientConfig === undefined
        ? [required(configField, 'required when strategy is set to Webhook')]
        : validateClientConfig(clientConfig, configField)),
      ...(mayTrustNothing ? [] : bundleErrors(conversion)),
      ...validateReviewVersions(versions, versionsField, ''),
    ]);
    return errors;
  }
  const problem = 'should not be set when strategy is not set to Webhook';
  if (clientConfig !== undefined) {
    errors.push(forbiddenField(configField, problem));
  }
  if (versions.length > 0) {
    errors.push(forbiddenField(versionsField, problem));
  }
  return errors;
}

/** Validates the CA certificates for the webhook. */
export function bundleErrors(conversion: CustomResourceConversion | undefined): FieldError[] {
  const { caBundle = '' } = conversion?.webhook?.clientConfig ?? {};
  if (caBundle === '' || hasCertificate(Buffer.from(caBundle, 'base64').toString('latin1'))) {
    return [];
  }
  const problem = 'unable to load root certificates: unable to parse bytes as PEM block';
  return [invalid(`${configField}.caBundle`, caBundle, problem)];
}

function hasCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
