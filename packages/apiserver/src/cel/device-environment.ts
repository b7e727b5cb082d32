import type { Environment } from '@marcbachmann/cel-js';
import { newEnvironment } from './environment.ts';
import { compile } from './expression.ts';
import { CelFailure } from './function-table.ts';

/* Checks the expressions that select devices, as k8s.io/dynamic-resource-allocation/cel does. */

/** A device as expressions see it. None is ever made here, because nothing is selected. */
class Device {
  readonly driver = '';
}

let environment: Environment | undefined;

function deviceEnvironment(): Environment {
  return (environment ??= newEnvironment()
    .registerType('kubernetes.DRADevice', {
      ctor: Device,
      fields: {
        driver: 'string',
        allowMultipleAllocations: 'bool',
        attributes: 'map<string, map<string, dyn>>',
        capacity: 'map<string, map<string, kubernetes.Quantity>>',
      },
    })
    .registerVariable('device', 'kubernetes.DRADevice'));
}

/** Returns the error of an expression that selects devices; undefined if it compiles. */
export function selectorProblem(expression: string): string | undefined {
  // This macro is not known here.
  if (expression.includes('cel.bind')) {
    return undefined;
  }
  const otherwise = (type: string): string => `must evaluate to bool or the unknown type, not ${type}`;
  try {
    compile(deviceEnvironment(), expression, { types: ['bool', 'dyn'], otherwise });
    return undefined;
  } catch (error) {
    if (!(error instanceof CelFailure)) {
      throw error;
    }
    return error.message.startsWith('ERROR:') ? `compilation failed: ${error.message}` : error.message;
  }
}
