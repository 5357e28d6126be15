import { isStorageError } from '@varve/core'
import { expect, it } from 'vitest'
import { policyCheck } from './policy-check.ts'

const statement = (fields: object) =>
  JSON.stringify({ Statement: [{ Effect: 'Deny', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*', ...fields }] })

it.each([
  ['an action that there is not', { Action: 'varve:ReadLogs' }],
  ['an action that applies to none of its resources', { Resource: 'arn:aws:s3:::b' }],
  ['a condition that never holds', { Condition: { StringEquals: { 'aws:PrincipalType': 'user' } } }],
])('refuses to set a policy of an identity with %s', async (_, fields) => {
  await policyCheck.check(statement({}), 'policy')
  const thrown: unknown = await policyCheck.check(statement(fields), 'policy').catch((error: unknown) => error)
  expect(isStorageError(thrown, 'InvalidArgument') && thrown.message).toMatch(
    /^policy\.Statement\[0\] can never match: /,
  )
})
