import { describe, expect, it } from 'vitest'
import type { LifecycleRule } from './lifecycle.ts'
import { checkLifecycle } from './check-lifecycle.ts'

const rule = (more: Partial<LifecycleRule>): LifecycleRule => ({
  id: 'one',
  status: 'Enabled',
  filter: {},
  filterForm: 'filter',
  ...more,
})
const tag = { key: 'k', value: 'v' }

describe('lifecycle rules', () => {
  it.each<readonly [string, LifecycleRule]>([
    ['days', rule({ expiration: { days: 1 } })],
    ['a midnight', rule({ expiration: { date: Date.UTC(2030, 0, 1) } })],
    ['the least sizes', rule({ filter: { sizeGreaterThan: 0, sizeLessThan: 1 } })],
    ['a hundred newer versions', rule({ noncurrentExpiration: { days: 1, newerVersions: 100 } })],
    ['transitions at once', rule({ transitions: [{ storageClass: 'GLACIER', days: 0 }] })],
  ])('may have %s', (_, one) => expect(() => checkLifecycle({ rules: [one] })).not.toThrow())

  it.each<readonly [string, string, readonly LifecycleRule[]]>([
    ['no rules', 'InvalidArgument', []],
    ['no days', 'InvalidArgument', [rule({ expiration: { days: 0 } })]],
    ['days before', 'InvalidArgument', [rule({ noncurrentExpiration: { days: -1 } })]],
    ['a date at noon', 'InvalidArgument', [rule({ expiration: { date: Date.UTC(2030, 0, 1, 12) } })]],
    ['a transition at noon', 'InvalidArgument', [rule({ transitions: [{ storageClass: 'GLACIER', date: 1 }] })]],
    ['one id twice', 'InvalidArgument', [rule({}), rule({})]],
    ['a long id', 'InvalidArgument', [rule({ id: 'a'.repeat(256) })]],
    ['a prefix longer than a key can be', 'InvalidRequest', [rule({ filter: { prefix: 'ä'.repeat(513) } })]],
    ['one tag twice', 'InvalidRequest', [rule({ filter: { tags: [tag, tag] } })]],
    ['sizes that no object has', 'InvalidRequest', [rule({ filter: { sizeGreaterThan: 10, sizeLessThan: 10 } })]],
    ...[-1, 1.5, 1_099_511_627_776_001].map(
      (size) => [`a size of ${size}`, 'InvalidRequest', [rule({ filter: { sizeGreaterThan: size } })]] as const,
    ),
    ...[-1, 0, 1.5, 1_099_511_627_776_001].map(
      (size) => [`a size below ${size}`, 'InvalidRequest', [rule({ filter: { sizeLessThan: size } })]] as const,
    ),
    ...[-1, 0, 1.5, 101].flatMap((newerVersions) => [
      [
        `${newerVersions} newer versions`,
        'InvalidArgument',
        [rule({ noncurrentExpiration: { days: 1, newerVersions } })],
      ] as const,
      [
        `${newerVersions} newer versions to keep`,
        'InvalidArgument',
        [rule({ noncurrentTransitions: [{ storageClass: 'GLACIER', days: 1, newerVersions }] })],
      ] as const,
    ]),
    ...['aws:k', 'AWS:k', 'aWs:'].map(
      (key) => [`the tag ${key}`, 'InvalidTag', [rule({ filter: { tags: [{ key, value: 'v' }] } })]] as const,
    ),
  ])('may not have %s', (_, code, rules) => {
    expect(() => checkLifecycle({ rules })).toThrow(expect.objectContaining({ code }))
  })

  const actions: readonly (readonly [string, Partial<LifecycleRule>])[] = [
    ['AbortIncompleteMultipartUpload', { abortUploadsAfterDays: 1 }],
    ['ExpiredObjectDeleteMarker', { expiration: { expiredObjectDeleteMarker: true } }],
  ]
  const filters: readonly (readonly [string, LifecycleRule['filter']])[] = [
    ['Tags', { tags: [tag] }],
    ['Object Size', { sizeGreaterThan: 0 }],
    ['Object Size', { prefix: 'a', sizeLessThan: 10 }],
    ['Object Size', { sizeGreaterThan: 0, sizeLessThan: 10 }],
  ]
  it.each(actions.flatMap(([action, set]) => filters.map(([what, filter]) => [action, what, filter, set] as const)))(
    'may not have %s with %s: %j',
    (action, what, filter, set) => {
      expect(() => checkLifecycle({ rules: [rule({ filter, ...set })] })).toThrow(
        expect.objectContaining({ code: 'InvalidRequest', message: `${action} cannot be specified with ${what}.` }),
      )
    },
  )
})
