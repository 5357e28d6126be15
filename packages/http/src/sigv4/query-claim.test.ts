import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import { isS3Error } from '../errors/errors.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { hasQueryClaim, queryClaim } from './query-claim.ts'
import { presign } from './sign-request.ts'

const { accessKeyId, secretAccessKey } = createIdentity({ name: 'a', accessKeyId: 'KEY', secretAccessKey: 'secret-a' })
const { rawQuery: signed } = presign(
  { method: 'GET', rawPath: '/b/k', rawQuery: '', headers: [['host', 'localhost']] },
  { accessKeyId, secretAccessKey, region: 'eu', now: Date.UTC(2026, 0, 1), expiresSeconds: 60 },
)

function outcome(rawQuery: string): string {
  const query = parseQuery(rawQuery)
  if (!hasQueryClaim(query)) return 'anonymous'
  try {
    return queryClaim({ headers: createRequestHeaders([]), query, regions: 'any' }).accessKeyId
  } catch (error) {
    if (isS3Error(error)) return error.code
    throw error
  }
}

describe('the parameters of a presigned URL', () => {
  it.each(['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'])(
    'include X-Amz-%s in this spelling alone',
    (field) => {
      const names = [`X-Amz-${field}`.toLowerCase(), `X-Amz-${field}`.toUpperCase(), `X-amz-${field}`, `x-Amz-${field}`]
      for (const name of names) {
        const spelled = signed.replace(`X-Amz-${field}=`, `${name}=`)
        expect(spelled).not.toBe(signed)
        expect([name, outcome(spelled)]).toEqual([name, 'AuthorizationQueryParametersError'])
      }
    },
  )
})
