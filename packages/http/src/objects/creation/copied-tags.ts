import type { ObjectInfo } from '@varve/core'
import { S3Error } from '../../errors.ts'
import type { CopyContext, Permission } from '../../operations/operation.ts'

/** Tags that come along with a copy are read there and set here, so both have to be allowed. @throws S3Error `AccessDenied` */
export async function checkCopiedTags(
  { bucket, key, source, allows }: CopyContext,
  { tagCount }: Pick<ObjectInfo, 'tagCount'>,
): Promise<void> {
  if (tagCount === undefined) return
  const reads = source.versionId === undefined ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging'
  const asked: readonly Permission[] = [
    { action: reads, ...source },
    { action: 's3:PutObjectTagging', bucket, key },
  ]
  const allowed = await Promise.all(asked.map(async (permission) => allows(permission)))
  if (allowed.includes(false)) throw new S3Error('AccessDenied', 'Access Denied')
}
