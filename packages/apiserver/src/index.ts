/* The public API of this package. The API server depends on no other package of its users. */
export { startApiServer } from './server.ts';
export type { ApiServer, ApiServerOptions } from './server.ts';
export type { InProcessAnswer, InProcessRequest, ServedAnswer } from './http/in-process-exchange.ts';
export type { ServiceAddresses } from './admission/webhook-call.ts';
export type { ApiServerUser } from './auth/authenticator.ts';
export { serverCertificate } from './http/certificate.ts';
export type { ServerCertificate } from './http/certificate.ts';
export { createFaultPlan } from './http/faults.ts';
export type {
  Fault,
  FaultMatch,
  FaultPlan,
  FaultRequest,
  FaultSchedule,
  InjectedFault,
} from './http/faults.ts';
export { isTrue, parseRequest } from './http/request-info.ts';
export type { RequestInfo, ResourceRequest } from './http/request-info.ts';
export type { RequestLog, ServedRequest } from './http/request-log.ts';
export { dnsLabel, dnsSubdomain } from './meta/names.ts';
export { seededRandom } from './meta/seeded-random.ts';
export { systemTimer } from './meta/timer.ts';
export type { After } from './meta/timer.ts';
export type { ApiServerFeatureGate } from './resources/feature-gates.ts';
export type { ResourceDefinition } from './resources/resource-definition.ts';
export { ageColumn, column, nameColumn, since } from './resources/table-columns.ts';
export { compareQuantities } from './schema/quantity.ts';
export { structSchema } from './schema/schema.ts';
export type { FieldSchema, FieldType, StructSchema } from './schema/schema.ts';
export { matcherOf } from './selectors/label-selector.ts';
export { CompactedError, createStorage } from './storage/storage.ts';
export type { Change, Storage, StorageOptions } from './storage/storage.ts';
