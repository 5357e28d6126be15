import { describe, expect, it } from 'vitest'
import { s3Actions, varveActions } from './actions.ts'
import { checkKnownActions, parseBucketPolicy } from './bucket-policy.ts'

const policy = (element: 'Action' | 'NotAction', ...actions: readonly string[]) =>
  parseBucketPolicy(
    JSON.stringify({
      Statement: { Effect: 'Deny', Principal: '*', [element]: actions, Resource: 'arn:aws:s3:::photos/*' },
    }),
    'photos',
  )

describe('the actions a bucket policy can name', () => {
  it.each([
    [...s3Actions],
    [...varveActions],
    ['varve:*'],
    ['*'],
    ['s3:*'],
    ['s3:Get*'],
    ['S3:getOBJECT'],
    ['s3:?etObject'],
    ['s3:ReplicateObject'],
  ])('may be %s', (...actions) => {
    expect(() => checkKnownActions(policy('Action', ...actions))).not.toThrow()
  })

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
      expect(() => checkKnownActions(policy(element, ...actions))).toThrow(
        expect.objectContaining({ code: 'MalformedPolicy', message: 'Policy has invalid action' }),
      )
    }
  })
})
