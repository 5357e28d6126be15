import { bypassesGovernance, refuseNeedlessBypass } from '../object-lock/bypass-governance.ts'
import { shownVersionId, versionHeaders } from '../objects/shown-version.ts'
import { deleteCondition } from '../objects/write-conditions.ts'
import { emptyAnswer } from '../contract/answer.ts'
import { receiptHeaders, receiptOption } from '../objects/receipt-header.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const deleteObject: ObjectOperation = async (context) => {
  const {
    store,
    bucket,
    key,
    versionId,
    headers,
    dialect,
    client: { signal },
  } = context
  const condition = deleteCondition(headers, versionId)
  await refuseNeedlessBypass(context)
  const bypassGovernance = await bypassesGovernance(context, context)

  const result = await store.objects.delete(bucket, key, {
    ...(versionId !== undefined && { versionId }),
    ...condition,
    bypassGovernance,
    ...receiptOption(headers),
    signal,
  })

  // A marker that this request created shows that the bucket is versioned; an id in the request does not.
  const shown = result.deleteMarker ? result.versionId : await shownVersionId(store, bucket, result.versionId)
  const namesMarker = result.deleteMarker || (shown !== undefined && dialect.deleteMarkerHeader === 'always')
  return emptyAnswer(204, {
    ...(namesMarker && { 'x-amz-delete-marker': String(result.deleteMarker) }),
    ...versionHeaders(shown),
    ...receiptHeaders(result),
  })
}
