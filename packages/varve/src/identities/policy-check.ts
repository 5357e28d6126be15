import { isStorageError, type PolicyCheck, StorageError } from '@varve/core'

/** The parser is loaded when the first policy is checked: most programs that open a store need none. */
export const policyCheck: PolicyCheck = {
  async check(text, kind) {
    const { parseIdentityPolicy, parseJson, parseTrustPolicy } = await import('@varve/http')
    try {
      const document = parseJson(text)
      if (kind === 'trust') parseTrustPolicy(document)
      else parseIdentityPolicy(document)
    } catch (cause) {
      if (isStorageError(cause)) throw cause
      throw new StorageError('InvalidArgument', `${kind} must be a policy document in JSON.`, {
        details: { ArgumentName: kind },
        cause,
      })
    }
  },
}
