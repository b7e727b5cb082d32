import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const apiregistrationDescriptions: Descriptions = {
  'apiregistration.v1.APIService': {
    about: 'A version of an API group, and the server that it is served by; its name is VERSION.GROUP.',
    fields: { spec: 'The version and its server.', status: 'Whether the server is reached.' },
  },
  'apiregistration.v1.APIServiceCondition': {
    about: 'A condition of an APIService; Available is the one there is.',
    fields: { ...conditionFields },
  },
  'apiregistration.v1.APIServiceSpec': {
    about: 'A version of an API group, and its server.',
    fields: {
      service: 'Service of the server; unset for what this server serves itself.',
      group: 'Name of the API group.',
      version: 'Name of the version.',
      insecureSkipTLSVerify:
        'Whether the certificate of the server is not verified; false by default, and better left so.',
      caBundle:
        "PEM certificates of the CAs, in base64, that the server's certificate is verified by; those of the system when unset.",
      groupPriorityMinimum:
        'Priority of the group, 1 to 20000; the highest among its versions counts, and clients prefer higher ones.',
      versionPriority: 'Priority of the version within its group, 1 to 1000; higher ones come first.',
    },
  },
  'apiregistration.v1.APIServiceStatus': {
    about: 'State of an APIService.',
    fields: { conditions: 'Conditions of the APIService.' },
  },
  'apiregistration.v1.ServiceReference': {
    about: 'A Service that an API server is behind.',
    fields: {
      namespace: 'Namespace of the Service.',
      name: 'Name of the Service.',
      port: 'Port of the Service; 443 by default.',
    },
  },
};
