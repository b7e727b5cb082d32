import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const apiextensionsDescriptions: Descriptions = {
  'apiextensions.v1.CustomResourceColumnDefinition': {
    about: 'A column of kubectl get.',
    fields: {
      name: 'Heading of the column.',
      type: 'Type of the values: integer, number, string, boolean or date.',
      format: 'Format of the values; name for the name of the object.',
      description: 'Text about the column, for people.',
      priority: '0 shows the column always, more only in wide output; 0 by default.',
      jsonPath: 'Simple JSON path of the value in the object, such as .spec.replicas.',
    },
  },
  'apiextensions.v1.CustomResourceConversion': {
    about: 'How objects are converted between versions.',
    fields: {
      strategy: 'None changes apiVersion alone; Webhook calls a webhook.',
      webhook: 'The webhook; required with strategy Webhook.',
    },
  },
  'apiextensions.v1.CustomResourceDefinition': {
    about: 'A kind of objects that the server is to serve; its name is PLURAL.GROUP.',
    fields: { spec: 'The kind.', status: 'Whether the kind is served, and under which names.' },
  },
  'apiextensions.v1.CustomResourceDefinitionCondition': {
    about: 'A condition of a definition, such as Established or NamesAccepted.',
    fields: {
      ...conditionFields,
      observedGeneration: 'Generation of the definition that the condition was set for.',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionNames': {
    about: 'Names of a kind.',
    fields: {
      plural: 'Plural in lower case, as in paths.',
      singular: 'Singular in lower case; by default the kind in lower case.',
      shortNames: 'Short names in lower case for use in kubectl.',
      kind: 'Kind of the objects, in CamelCase and singular.',
      listKind: 'Kind of lists; by default the kind and List.',
      categories: 'Groups, such as all, by which kubectl get includes the kind.',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    about: 'A kind that is to be served.',
    fields: {
      group: 'API group of the kind.',
      names: 'Names of the kind.',
      scope: 'Namespaced or Cluster; it cannot be changed.',
      versions: 'Versions of the kind; the name of one decides its place in discovery.',
      conversion: 'How objects are converted between versions; the strategy None by default.',
      preserveUnknownFields:
        'Older switch for schemas that keep unknown fields; must be false. See x-kubernetes-preserve-unknown-fields.',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionStatus': {
    about: 'State of a definition.',
    fields: {
      conditions: 'Conditions of the definition.',
      acceptedNames: 'Names under which the kind is served.',
      storedVersions:
        'Versions in which objects may be stored; one can go from spec only once it is taken off here.',
      observedGeneration: 'Generation that the controller last acted on.',
    },
  },
  'apiextensions.v1.CustomResourceDefinitionVersion': {
    about: 'A version of a kind.',
    fields: {
      name: 'Name of the version, such as v1beta1.',
      served: 'Whether the version is served.',
      storage: 'Whether objects are stored in this version; true in exactly one.',
      deprecated: 'Whether clients are warned about the version; false by default.',
      deprecationWarning: 'Text of that warning; a general one when unset.',
      schema: 'Schema of the objects; required.',
      subresources: 'Subresources of the objects.',
      additionalPrinterColumns: 'Columns of kubectl get; NAME and AGE when unset.',
      selectableFields: 'Fields that field selectors may use, besides those of metadata; 8 at most.',
    },
  },
  'apiextensions.v1.CustomResourceSubresourceScale': {
    about: 'Paths that the scale subresource reads and writes.',
    fields: {
      specReplicasPath: 'JSON path, below .spec, of the wanted number of replicas.',
      statusReplicasPath: 'JSON path, below .status, of the actual number of replicas.',
      labelSelectorPath:
        'JSON path, below .spec or .status, of the selector as text; HorizontalPodAutoscalers need it.',
    },
  },
  'apiextensions.v1.CustomResourceSubresourceStatus': {
    about: 'Turns on the status subresource; it has no fields.',
    fields: {},
  },
  'apiextensions.v1.CustomResourceSubresources': {
    about: 'Subresources of a kind.',
    fields: {
      status:
        'Turns on /status: requests to the object then leave .status alone, requests to /status all else.',
      scale: 'Turns on /scale.',
    },
  },
  'apiextensions.v1.CustomResourceValidation': {
    about: 'Schema of the objects of a version.',
    fields: { openAPIV3Schema: 'Structural schema that objects are validated, pruned and defaulted by.' },
  },
  'apiextensions.v1.ExternalDocumentation': {
    about: 'A link to documentation.',
    fields: { description: 'What is found there.', url: 'URL of the documentation.' },
  },
  'apiextensions.v1.JSONSchemaProps': {
    about:
      'A schema, in the part of JSON Schema that OpenAPI v3 has; what structural schemas refuse is not accepted.',
    fields: {
      id: 'Refused.',
      $schema: 'URI of the dialect of the schema; the server does nothing with it.',
      $ref: 'Refused.',
      description: 'Text about the value, which kubectl explain shows.',
      type: 'Type of the value: object, array, string, integer, number or boolean.',
      format: 'Format of the value, such as date-time, int32 or byte; unknown ones are not checked.',
      title: 'Title of the value.',
      default: 'Value of a field that is left out.',
      maximum: 'Largest number.',
      exclusiveMaximum: 'Whether maximum itself is too large.',
      minimum: 'Smallest number.',
      exclusiveMinimum: 'Whether minimum itself is too small.',
      maxLength: 'Most characters of a string.',
      minLength: 'Fewest characters of a string.',
      pattern: 'Regular expression that must match somewhere in a string.',
      maxItems: 'Most items of an array.',
      minItems: 'Fewest items of an array.',
      uniqueItems: 'Must not be true; see x-kubernetes-list-type set.',
      multipleOf: 'Number that the value must be a multiple of.',
      enum: 'Values that are allowed.',
      maxProperties: 'Most fields of an object.',
      minProperties: 'Fewest fields of an object.',
      required: 'Fields that must be there.',
      items: 'Schema of the items of an array.',
      allOf: 'Schemas that must all hold.',
      oneOf: 'Schemas of which exactly one must hold.',
      anyOf: 'Schemas of which at least one must hold.',
      not: 'Schema that must not hold.',
      properties: 'Schemas of fields by name.',
      additionalProperties: 'Schema of the fields that have no name, for maps; excludes properties.',
      patternProperties: 'Refused.',
      dependencies: 'Refused.',
      additionalItems: 'Refused.',
      definitions: 'Refused.',
      externalDocs: 'Link to documentation.',
      example: 'An example of the value.',
      nullable:
        'Whether null is allowed; false by default, and nulls are then pruned where there is a default.',
      'x-kubernetes-preserve-unknown-fields':
        'True keeps fields that the schema does not name; they are pruned when unset.',
      'x-kubernetes-embedded-resource':
        'Whether the value is an object with apiVersion, kind and metadata, which are then validated; false by default.',
      'x-kubernetes-int-or-string':
        'Whether the value is an integer or a string; false by default, and type must then be unset.',
      'x-kubernetes-list-map-keys': 'Fields that tell the items of a list of type map apart.',
      'x-kubernetes-list-type':
        'How a list is merged: atomic (default) as a whole, set by values, map by its keys.',
      'x-kubernetes-map-type': 'How an object is merged: granular (default) by fields, atomic as a whole.',
      'x-kubernetes-validations': 'CEL rules that must hold.',
    },
  },
  'apiextensions.v1.SelectableField': {
    about: 'A field that field selectors may use.',
    fields: {
      jsonPath: 'Simple JSON path of a string, boolean or integer, such as .spec.color; not below .metadata.',
    },
  },
  'apiextensions.v1.ServiceReference': {
    about: 'A Service that a webhook is behind.',
    fields: {
      namespace: 'Namespace of the Service.',
      name: 'Name of the Service.',
      path: 'Path of the URL; / when unset.',
      port: 'Port of the Service; 443 by default.',
    },
  },
  'apiextensions.v1.ValidationRule': {
    about: 'A CEL rule of a schema.',
    fields: {
      rule: 'CEL expression on self, and oldSelf for rules on changes, that must be true.',
      message: 'Text of the failure; required where the rule has line breaks.',
      messageExpression: 'CEL expression that makes the text; it wins over message.',
      reason:
        'Reason of the failure: FieldValueInvalid (default), FieldValueForbidden, FieldValueRequired or FieldValueDuplicate.',
      fieldPath:
        'JSON path of the field that the failure is reported at, such as .spec; by default where the rule stands.',
      optionalOldSelf:
        'Whether a rule with oldSelf is run at creation, too, oldSelf then being an optional; false when unset.',
    },
  },
  'apiextensions.v1.WebhookClientConfig': {
    about: 'How a webhook is reached; exactly one of url and service is set.',
    fields: {
      url: 'URL of the webhook, with https.',
      service: 'Service of the webhook.',
      caBundle:
        'PEM certificates of the CAs, in base64, that its certificate is verified by; those of the server when unset.',
    },
  },
  'apiextensions.v1.WebhookConversion': {
    about: 'A webhook that converts objects.',
    fields: {
      clientConfig: 'How the webhook is reached.',
      conversionReviewVersions:
        'Versions of ConversionReview that the webhook reads; the first that the server knows is sent.',
    },
  },
};
