import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const certificatesDescriptions: Descriptions = {
  'certificates.v1.CertificateSigningRequest': {
    about: 'A request to have a certificate signed, its approval, and the certificate.',
    fields: { spec: 'The request; it cannot be changed.', status: 'Approval and certificate.' },
  },
  'certificates.v1.CertificateSigningRequestCondition': {
    about: 'A condition of a request: Approved, Denied or Failed.',
    fields: { ...conditionFields, lastUpdateTime: 'When the condition was last written.' },
  },
  'certificates.v1.CertificateSigningRequestSpec': {
    about: 'What is to be signed, and who asked.',
    fields: {
      request: 'PEM of the PKCS#10 request, in base64.',
      signerName: 'Signer that is asked, such as kubernetes.io/kube-apiserver-client.',
      expirationSeconds:
        'Validity that is wished for, in seconds, at least 600; the signer may choose another.',
      usages: 'Key usages of the certificate, such as client auth.',
      username: 'User who created the request; set by the server.',
      uid: 'UID of that user; set by the server.',
      groups: 'Groups of that user; set by the server.',
      extra: 'Further attributes of that user; set by the server.',
    },
  },
  'certificates.v1.CertificateSigningRequestStatus': {
    about: 'Approval and certificate of a request.',
    fields: {
      conditions: 'Approved, Denied and Failed; once set, Approved and Denied stay.',
      certificate: 'PEM of the certificate and its intermediates, in base64; set by the signer.',
    },
  },
};
