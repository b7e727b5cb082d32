import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

/* The names in capitals at the beginnings are Go's, by which tools look for the fields that all objects have. */

/** Of the fields that say what an object is: every kind has them. */
export const typeDescriptions = {
  apiVersion:
    'APIVersion defines, by a group and a version, the schema that the object is written in. The server gives objects in the version in which they are asked for, and refuses versions that it does not know.',
  kind: 'Kind is the name, in CamelCase, of the schema that the object is written in. The path of a request says it, too, and it never changes.',
} as const;

/** Of fields by the struct that they are of. */
export const metadataDescriptions = {
  'meta.v1.ObjectMeta':
    "Standard object's metadata: its name, its labels, and what the server keeps of its life.",
  'meta.v1.ListMeta': 'Standard list metadata: the version of the list, and how to go on with it.',
} as const;

export const metaDescriptions: Descriptions = {
  'meta.v1.ObjectMeta': {
    about: 'ObjectMeta is what every stored object has besides what is its own.',
    fields: {
      name: 'Name tells an object from all others of its kind in its namespace. Whoever creates it gives it, or has it made from generateName. It never changes.',
      generateName:
        'GenerateName is the beginning of a name that the server completes with some random characters when an object is created without a name. A name that is taken is answered with 409.',
      namespace:
        'Namespace is where the name of the object holds: the same name may be in another one. Objects of some kinds, such as nodes, are in none. It never changes.',
      selfLink: 'SelfLink is an older field that servers leave empty.',
      uid: 'UID tells the object from all that had its name before, or will have it. The server makes it at creation.',
      resourceVersion:
        'ResourceVersion changes with each write to the object. Send back the one that was read, and the write is refused with 409 where somebody else has written since; watches and lists can begin at one. What it looks like means nothing to a client.',
      generation:
        'Generation counts the changes of what is wanted. Whether a controller has seen the newest is said by observedGeneration in many a status.',
      creationTimestamp:
        'CreationTimestamp is a timestamp of when the server created the object, in UTC, to the second. Clients cannot set it.',
      deletionTimestamp:
        'DeletionTimestamp is when the object goes, or was to go. The server sets it when the object is deleted gracefully, or while finalizers hold it; nobody can take it back.',
      deletionGracePeriodSeconds:
        'DeletionGracePeriodSeconds is how long the object may take to end once it is deleted. It can only become shorter.',
      labels:
        'Labels are names and values by which objects are grouped and selected, as by services and controllers.',
      annotations:
        'Annotations are names and texts that tools keep with the object. Nothing is selected by them.',
      ownerReferences:
        'OwnerReferences are the objects that this one belongs to. When all of them are gone, the garbage collector deletes it. At most one of them is its controller.',
      finalizers:
        'Finalizers hold a deleted object until whoever put each of them there has done its work and takes it away. None can be added once the object is being deleted.',
      managedFields:
        "ManagedFields say who wrote which fields, as server-side apply keeps account of it. They are the server's own affair: leave them as they are, or empty the list.",
    },
  },
  'meta.v1.ListMeta': {
    about: 'ListMeta is what every list has besides its items.',
    fields: {
      selfLink: 'SelfLink is an older field that servers leave empty.',
      resourceVersion:
        'ResourceVersion is the version of the whole list: a watch that begins there misses nothing.',
      continue:
        'Continue is the token by which a list that was limited goes on. It holds for some minutes, and for the same request alone; empty on the last page.',
      remainingItemCount:
        'RemainingItemCount is about how many items follow on later pages. It is left out where it is not known, as of a list by selectors.',
      shardInfo: 'ShardInfo says which part of all objects the list has, when a part was asked for.',
    },
  },
  'meta.v1.ShardInfo': {
    about: 'ShardInfo is about the part of all objects that a list has.',
    fields: { selector: 'Selector is what the part was asked for by.' },
  },
  'meta.v1.OwnerReference': {
    about:
      'OwnerReference names an object that another belongs to: in the same namespace, or one that is in none.',
    fields: {
      apiVersion: "APIVersion is the owner's group and version.",
      kind: "Kind is the owner's.",
      name: "Name is the owner's.",
      uid: "UID is the owner's: another object of its name owns nothing.",
      controller: 'Controller says whether the owner is the one that manages the object.',
      blockOwnerDeletion:
        'BlockOwnerDeletion says whether the owner, when it is deleted in the foreground, stays until this object is gone. Who sets it must be allowed to delete the owner.',
    },
  },
  'meta.v1.ManagedFieldsEntry': {
    about: 'ManagedFieldsEntry says which fields somebody has written in one way.',
    fields: {
      manager: 'Manager is who wrote them: the fieldManager of the request, or the program.',
      operation: 'Operation is how: Apply, by server-side apply, or Update, in any other way.',
      apiVersion: 'APIVersion is the version in which the fields are named.',
      time: 'Time is when the entry was added, or its fields changed other than by another manager that took some.',
      fieldsType: 'FieldsType is the form of the fields. There is one: FieldsV1.',
      fieldsV1:
        'FieldsV1 are the fields, as keys: f: and the name of a field, k: and the keys of an item in a list, v: and a value in a set, and a dot for the value itself.',
      subresource:
        'Subresource is the one that they were written through, such as status. Empty for the object itself.',
    },
  },
  'meta.v1.Condition': {
    about: 'A condition of an object, in the form that most kinds share.',
    fields: {
      ...conditionFields,
      observedGeneration: 'Generation of the object that the condition was set for.',
    },
  },
  'meta.v1.FieldSelectorRequirement': {
    about: 'A condition on a field.',
    fields: {
      key: 'Field that is compared.',
      operator: 'In, NotIn, Exists or DoesNotExist.',
      values: 'Values for In and NotIn; none for Exists and DoesNotExist.',
    },
  },
  'meta.v1.LabelSelector': {
    about: 'Selects objects by their labels; {} selects all, null none.',
    fields: {
      matchLabels: 'Labels and the values that they must have.',
      matchExpressions: 'Further conditions; all of both lists must hold.',
    },
  },
  'meta.v1.LabelSelectorRequirement': {
    about: 'A condition on a label.',
    fields: {
      key: 'Label that is compared.',
      operator: 'In, NotIn, Exists or DoesNotExist.',
      values: 'Values for In and NotIn; none for Exists and DoesNotExist.',
    },
  },
};
