import { objectName, type ProgramOrName } from '../identity/program-identity.ts';
import { bindAddressFlag, optionalTextFlag, switchFlag, textFlag, type FlagValues } from '../flags/flags.ts';

/**
 * Creates the flags of an app with admission webhooks, to be spread into its own.
 *
 * @param program names the Service, the Secret and the webhook configuration.
 */
export function webhookFlags(program: ProgramOrName) {
  const name = objectName(program);
  return {
    webhookBindAddress: bindAddressFlag({
      description: 'Address for the admission webhooks, over TLS, for example :9443; 0 turns them off.',
      placeholder: 'ADDR',
      default: '0',
    }),
    webhookCertDir: optionalTextFlag({
      description: 'Folder with tls.crt and tls.key for the webhooks; they are reloaded when they change.',
      placeholder: 'PATH',
    }),
    webhookSelfSigned: switchFlag({
      description:
        'Make the certificate for the webhooks, keep it in a Secret, and write it into the webhook configurations.',
      default: 'false',
    }),
    webhookClientCa: optionalTextFlag({
      description:
        'PEM file of certificate authorities, which is reloaded when it changes: the webhooks answer only clients with a certificate that one of them has signed. The API server needs such a certificate (AdmissionConfiguration). Default: the webhooks answer every client.',
      placeholder: 'PATH',
    }),
    webhookServiceName: textFlag({
      description:
        'Name of the Service through which the API server calls the webhooks; for --webhook-self-signed.',
      placeholder: 'NAME',
      default: `${name}-webhook`,
    }),
    webhookSecretName: textFlag({
      description: 'Name of the Secret that keeps the certificate; for --webhook-self-signed.',
      placeholder: 'NAME',
      default: `${name}-webhook`,
    }),
    webhookNamespace: optionalTextFlag({
      description:
        'Namespace of the Service and the Secret of the webhooks. Default: the namespace of the pod, else kube-system.',
      placeholder: 'NAME',
    }),
    webhookConfigurationName: textFlag({
      description:
        'Name of the webhook configurations whose caBundle the program fills in; for --webhook-self-signed.',
      placeholder: 'NAME',
      default: name,
    }),
  };
}

/** The values of the webhook flags. */
export type WebhookConfig = FlagValues<ReturnType<typeof webhookFlags>>;

/**
 * Checks the flags together: if webhooks are served, exactly one source of certificates is required.
 *
 * @returns what is wrong, or undefined.
 */
export function checkWebhookConfig(config: WebhookConfig): string | undefined {
  const hasFolder = config.webhookCertDir !== undefined;
  if (config.webhookBindAddress.kind === 'off' || hasFolder !== config.webhookSelfSigned) {
    return undefined;
  }
  return hasFolder
    ? '--webhook-cert-dir and --webhook-self-signed exclude each other: leave one out'
    : '--webhook-bind-address needs a certificate: give --webhook-cert-dir or --webhook-self-signed';
}
