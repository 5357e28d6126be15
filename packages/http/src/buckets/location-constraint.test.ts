import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import type { DialectName } from '../contract/dialect.ts'
import { regionFor } from './location-constraint.ts'

function outcome(dialect: DialectName, region: string, constraint: string): string {
  const options = {
    region,
    namespace: '',
    bucketDefaults: 'open',
    keepAliveAfterMs: 1,
    keepAliveEveryMs: 1,
    notificationTargets: [],
    hasSnapshots: false,
  } as const
  try {
    return regionFor(constraint, { dialect: dialects[dialect], options })
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('the region of a new bucket', () => {
  it.each([
    ['neutral', 'eu', '', 'eu'],
    ['neutral', 'eu', 'eu', 'eu'],
    ['neutral', 'eu', 'EU', 'eu'],
    ['neutral', 'eu', 'eu-west-1', 'InvalidLocationConstraint'],
    ['neutral', 'us-east-1', 'us-east-1', 'us-east-1'],
    ['aws', 'us-east-1', '', 'us-east-1'],
    ['aws', 'us-east-1', 'eu-west-1', 'eu-west-1'],
    ['aws', 'us-east-1', 'us-gov-west-1', 'us-gov-west-1'],
    ['aws', 'us-east-1', 'EU', 'EU'],
    ['aws', 'us-east-1', 'us-east-1', 'us-east-1'],
    ['neutral', 'mars', 'mars', 'mars'],
    ['aws', 'mars', 'mars', 'mars'],
    ['aws', 'us-east-1', 'nowhere', 'InvalidLocationConstraint'],
    ['aws', 'eu-west-1', 'eu-west-1', 'eu-west-1'],
    ['aws', 'eu-west-1', 'EU', 'EU'],
    ['aws', 'eu-west-1', '', 'IllegalLocationConstraintException'],
    ['aws', 'eu-west-1', 'eu-west-2', 'IllegalLocationConstraintException'],
    ['aws', 'eu-central-1', 'EU', 'IllegalLocationConstraintException'],
  ] as const)('%s in %s, constraint %j: %s', (dialect, region, constraint, expected) => {
    expect(outcome(dialect, region, constraint)).toBe(expected)
  })
})
