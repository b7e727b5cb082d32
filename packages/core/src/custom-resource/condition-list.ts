import * as z from 'zod/mini';
import { reasonForm, typeForm } from '../condition-forms.ts';

/**
 * The conditions of a status, as metav1.Condition has them and `setCondition` makes them: a list of which several controllers may own a part each.
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
