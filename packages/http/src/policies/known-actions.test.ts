import { describe, expect, it } from 'vitest'
import { permissionTable } from '../access/permission-table.ts'
import { s3Actions, varveActions } from './actions.ts'
import { parseBucketPolicy } from './bucket-policy.ts'
import { checkStatements } from './effective-statements.ts'
import { levelOf } from './known-actions.ts'
import type { PermissionRule } from './permission-rule.ts'

const check = (element: 'Action' | 'NotAction', ...actions: readonly string[]) =>
  checkStatements(
    parseBucketPolicy(
      JSON.stringify({
        Statement: {
          Effect: 'Deny',
          Principal: '*',
          [element]: actions,
          Resource: ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'],
        },
      }),
      'photos',
    ),
    'photos',
  )

const isOfBuckets = (action: string): boolean => levelOf(action.toLowerCase()) !== 'none'

describe('the actions a bucket policy can name', () => {
  it.each([
    s3Actions.filter(isOfBuckets),
    varveActions.filter(isOfBuckets),
    ['varve:*'],
    ['*'],
    ['s3:*'],
    ['s3:Get*'],
    ['S3:getOBJECT'],
    ['s3:?etObject'],
    ['s3:ReplicateObject'],
  ])('may be %s', (...actions) => {
    expect(() => check('Action', ...actions)).not.toThrow()
  })

  it.each([...s3Actions, ...varveActions].filter((action) => !isOfBuckets(action)))(
    'are refused with %s, which is about no bucket',
    (action) => {
      expect(() => check('Action', 's3:GetObject', action)).toThrow(
        expect.objectContaining({ code: 'MalformedPolicy', message: expect.stringContaining('does not apply') }),
      )
      expect(() => check('NotAction', action)).not.toThrow()
    },
  )

  it.each([
    ['varve:Fly'],
    ['s3:ReadHistory'],
    ['s3:Fly'],
    ['s3:GetObjects'],
    ['s3:Fly*'],
    ['s3:GetObject??'],
    ['s3:GetObject', 's3:Nope'],
  ])('are refused with %s, and so are those it excepts', (...actions) => {
    for (const element of ['Action', 'NotAction'] as const) {
      expect(() => check(element, ...actions)).toThrow(
        expect.objectContaining({ code: 'MalformedPolicy', message: 'Policy has invalid action' }),
      )
    }
  })

  it('are about what the operations ask them for', () => {
    const levels = {
      service: 'none',
      bucket: 'bucket',
      'source of the fork': 'bucket',
      object: 'object',
      source: 'object',
      'each key': 'object',
    } as const
    for (const { action, ofVersion = action, resource } of Object.values<readonly PermissionRule[]>(
      permissionTable,
    ).flat()) {
      for (const one of [action, ofVersion]) expect([one, levelOf(one.toLowerCase())]).toEqual([one, levels[resource]])
    }
  })
})
