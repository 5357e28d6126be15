/** Which values the condition keys can have here, so that a condition on another value is found when a policy is set. */

import { principalTypes } from './caller.ts'
import type { Condition } from './conditions.ts'
import { conditionOperators } from './condition-operators.ts'
import { hasVariables, type PolicyText, unitsOf } from './policy-text.ts'
import { canOverlap, withoutColons } from './wildcard-overlap.ts'

interface KeyValues {
  /** The values are among these. */
  readonly only?: readonly string[]
  /** Each value has one of these shapes, as units of a pattern. */
  readonly shapes?: readonly (readonly string[])[]
  /** Each value has only these characters. */
  readonly characters?: RegExp
  /** The operators that can find a value, besides those of strings: how their names begin. */
  readonly operators?: readonly string[]
}

const truth = { only: ['true', 'false'], operators: ['Bool'] }
// No credentials are given for a second factor, and no service passes requests on.
const untruth = { only: ['false'], operators: ['Bool'] }
const time = { operators: ['Date'] }
/** An ARN with an id, which has no colon. */
const arnShape = (service: string, resource: string): readonly string[] => [
  ...Array.from(`arn:aws:${service}::?`),
  withoutColons,
  ...Array.from(`:${resource}`),
]
const account = { characters: /^[\w.@+$*?-]*$/ }

const values: Readonly<Record<string, KeyValues>> = {
  'aws:currenttime': time,
  'aws:epochtime': { operators: ['Date', 'Numeric'] },
  'aws:multifactorauthpresent': untruth,
  'aws:principalaccount': account,
  'aws:principalarn': {
    shapes: [
      arnShape('iam', 'root'),
      arnShape('iam', 'user/?*'),
      arnShape('iam', 'role/?*'),
      arnShape('sts', 'assumed-role/?*/?*'),
    ],
    operators: ['Arn'],
  },
  'aws:principalisawsservice': truth,
  'aws:principaltype': { only: principalTypes },
  'aws:resourceaccount': account,
  'aws:securetransport': truth,
  'aws:sourceip': { characters: /^[\da-fA-F.:*?]*$/, operators: ['Ip'] },
  'aws:tokenissuetime': time,
  // The id of an identity, perhaps with the name of a session.
  'aws:userid': { characters: /^[\w.@+$=,:*?-]*$/ },
  'aws:viaawsservice': untruth,
  's3:authtype': { only: ['REST-HEADER', 'REST-QUERY-STRING', 'POST'] },
  's3:resourceaccount': account,
  's3:signatureversion': { only: ['AWS', 'AWS4-HMAC-SHA256'] },
}

const always: ReadonlySet<string> = new Set(['aws:principalisawsservice', 'aws:securetransport'])

/** Whether every request has the key, also log delivery. */
export const isAlwaysThere = (key: string): boolean => always.has(key)

/** Whether a request can have a value that the condition is met by. Not for `Null`. */
export function canHave({ operator, key, values: texts }: Condition): boolean {
  const known = values[key]
  if (known === undefined) return true
  const { only, shapes, characters, operators } = known
  const ofStrings = operator.startsWith('String')
  if (!ofStrings && operators !== undefined && !operators.some((name) => operator.startsWith(name))) return false
  return texts.some((text) => {
    if (hasVariables(text)) return true
    if (only !== undefined) return only.some((value) => meets(operator, text, value))
    if (shapes !== undefined) return shapes.some((shape) => overlaps(operator, text, shape))
    return !ofStrings || characters === undefined || characters.test(unitsOf(text).join(''))
  })
}

const meets = (operator: string, text: PolicyText, value: string): boolean =>
  conditionOperators.get(operator)?.prepare(text)(value, () => undefined) === true

function overlaps(operator: string, text: PolicyText, shape: readonly string[]): boolean {
  const isPattern = operator.endsWith('Like') || operator.startsWith('Arn')
  const units = unitsOf(text, isPattern ? 'pattern' : 'plain')
  if (!operator.endsWith('IgnoreCase')) return canOverlap(units, shape)
  return canOverlap(
    units.map((unit) => unit.toLowerCase()),
    shape,
  )
}
