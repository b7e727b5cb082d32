export type { ObjectOf } from '../api-resource.ts';
export { conditionList } from './condition-list.ts';
export type {
  CustomResourceDefinition,
  CustomResourceVersion,
  PrinterColumn,
  ScalePaths,
} from './custom-resource-definition.ts';
export * from './define-resource.ts';
export type { FieldProblem } from './problem.ts';
export type { ResourceNames } from './resource-names.ts';
export type { KubernetesMeta } from './schema-meta.ts';
export type { JsonValue } from '../json-value.ts';
export type { StructuralSchema, ValidationRule } from './structural-schema.ts';
export type { VersionOptions } from './version-of.ts';
