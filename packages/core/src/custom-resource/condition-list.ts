import * as z from 'zod/mini';
import { reasonForm, typeForm } from '../condition-forms.ts';

/**
 * The conditions of a status, in the form of metav1.Condition, which `setCondition` keeps. Several
 * controllers can each own some of the conditions in the list.
 *
 *     status: z.object({ conditions: z.optional(conditionList) })
 */
export const conditionList = z
  .array(
    z.object({
      type: z.string().check(z.maxLength(316), z.regex(typeForm.pattern)),
      status: z.enum(['True', 'False', 'Unknown']),
      observedGeneration: z.exactOptional(z.int().check(z.gte(0))),
      lastTransitionTime: z.string().register(z.globalRegistry, { format: 'date-time' }),
      reason: z.string().check(z.minLength(1), z.maxLength(1024), z.regex(reasonForm.pattern)),
      message: z.string().check(z.maxLength(32_768)),
    }),
  )
  .register(z.globalRegistry, {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });
