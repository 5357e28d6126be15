import { accessDenied } from '../errors/errors.ts'
import type { CopyContext } from '../contract/operation.ts'
import { laterPermissions } from '../contract/permissions.ts'

/** Tags that come along with a copy are read there and set here, so both have to be allowed. @throws S3Error `AccessDenied` */
export async function checkCopiedTags(context: CopyContext): Promise<void> {
  // Those that come along are these: the copy is not made of what takes the place of the source, or of other tags.
  const { tags = [] } = await context.assume(context.source)
  if (tags.length === 0) return
  const requested = laterPermissions('CopyObject', context, (when) => when !== undefined && 'copied' in when)
  const allowed = await Promise.all(requested.map((permission) => context.allows(permission)))
  if (allowed.includes(false)) throw accessDenied()
}
