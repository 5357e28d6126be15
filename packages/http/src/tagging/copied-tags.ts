import { accessDenied } from '../errors/errors.ts'
import type { CopyContext } from '../contract/operation.ts'
import { laterPermissions } from '../contract/permissions.ts'

/**
 * A copy that keeps the tags of its source reads them there and sets them here, so both must be allowed. @throws
 * S3Error `AccessDenied`
 */
export async function checkCopiedTags(context: CopyContext): Promise<void> {
  // The copy must use exactly these tags: it is refused if the source or its tags change meanwhile.
  const { tags = [] } = await context.assume(context.source)
  if (tags.length === 0) return
  const requested = laterPermissions('CopyObject', context, (when) => when !== undefined && 'copied' in when)
  const allowed = await Promise.all(requested.map((permission) => context.allows(permission)))
  if (allowed.includes(false)) throw accessDenied()
}
