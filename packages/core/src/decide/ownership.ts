/** The owner of an object that one user writes into another user's bucket. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Actor } from '../events/index.ts'
import type { AccessControlList, ObjectOwnership } from '../settings/access-control.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { settingTable } from '../views/tables.ts'

/** Read only if it matters: not for the bucket's own owner, and not if it was never set. */
export function loadOwnership(
  rows: Rows,
  name: string,
  bucket: BucketRow | undefined,
  by: Actor,
): Soon<ObjectOwnership | undefined> {
  const setBy = bucket?.settings?.Ownership
  if (setBy === undefined || bucket?.owner.id === by.id) return undefined
  return whenThere(rows.get(settingTable.key(name, setBy)), (row) =>
    row?.kind === 'Ownership' ? row.value : undefined,
  )
}

/**
 * The facts of an object with its owner. The writer owns the object, unless the bucket's ownership setting gives it to
 * the bucket owner: always, or if the ACL is `bucket-owner-full-control`. The ACL is then left out, because it adds
 * nothing.
 */
export function owned<F extends { readonly acl?: AccessControlList; readonly owner?: never }>(
  facts: F,
  { bucket, ownership }: { readonly bucket: BucketRow | undefined; readonly ownership: ObjectOwnership | undefined },
): Omit<F, 'acl'> & { readonly acl?: AccessControlList; readonly owner?: Actor } {
  if (bucket === undefined || !passesOver(ownership, facts.acl, bucket.owner.id)) return facts
  const { acl: _acl, ...others } = facts
  return { owner: bucket.owner, ...others }
}

function passesOver(
  ownership: ObjectOwnership | undefined,
  acl: AccessControlList | undefined,
  bucketOwner: string,
): boolean {
  switch (ownership) {
    case 'BucketOwnerEnforced':
      return true
    case 'BucketOwnerPreferred':
      return acl !== undefined && handsOver(acl, bucketOwner)
    case 'ObjectWriter':
    case undefined:
      return false
  }
}

/** Whether the ACL is exactly what `bucket-owner-full-control` grants. */
function handsOver({ owner, grants }: AccessControlList, bucketOwner: string): boolean {
  const ids = grants.map(({ grantee, permission }) =>
    'id' in grantee && permission === 'FULL_CONTROL' ? grantee.id : undefined,
  )
  return ids.length === 2 && ids.includes(owner) && ids.includes(bucketOwner)
}
