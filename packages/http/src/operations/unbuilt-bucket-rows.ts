/** Operations on a bucket that are known and not built. If two differ only by `id`, the row with `id` comes first. */

import type { UnbuiltRow, When } from '../contract/operation.ts'
import { unbuilt } from './unbuilt.ts'

const no = (name: string, method: UnbuiltRow['method'], ...query: NonNullable<When['query']>): UnbuiltRow =>
  unbuilt(name, method, 'bucket', { query })

export const unbuiltBucketRows: readonly UnbuiltRow[] = [
  no('GetBucketAbac', 'GET', 'abac'),
  no('GetBucketAnalyticsConfiguration', 'GET', 'analytics', 'id'),
  no('ListBucketAnalyticsConfigurations', 'GET', 'analytics'),
  no('GetBucketIntelligentTieringConfiguration', 'GET', 'intelligent-tiering', 'id'),
  no('ListBucketIntelligentTieringConfigurations', 'GET', 'intelligent-tiering'),
  no('GetBucketInventoryConfiguration', 'GET', 'inventory', 'id'),
  no('ListBucketInventoryConfigurations', 'GET', 'inventory'),
  no('GetBucketMetadataConfiguration', 'GET', 'metadataConfiguration'),
  no('GetBucketMetadataTableConfiguration', 'GET', 'metadataTable'),
  no('GetBucketMetricsConfiguration', 'GET', 'metrics', 'id'),
  no('ListBucketMetricsConfigurations', 'GET', 'metrics'),
  no('GetBucketReplication', 'GET', 'replication'),
  no('CreateSession', 'GET', 'session'),

  no('PutBucketAbac', 'PUT', 'abac'),
  no('PutBucketAnalyticsConfiguration', 'PUT', 'analytics'),
  no('PutBucketIntelligentTieringConfiguration', 'PUT', 'intelligent-tiering'),
  no('PutBucketInventoryConfiguration', 'PUT', 'inventory'),
  no('PutBucketMetricsConfiguration', 'PUT', 'metrics'),
  no('PutBucketReplication', 'PUT', 'replication'),
  no('UpdateBucketMetadataAnnotationTableConfiguration', 'PUT', 'metadataAnnotationTable'),
  no('UpdateBucketMetadataInventoryTableConfiguration', 'PUT', 'metadataInventoryTable'),
  no('UpdateBucketMetadataJournalTableConfiguration', 'PUT', 'metadataJournalTable'),

  no('DeleteBucketAnalyticsConfiguration', 'DELETE', 'analytics'),
  no('DeleteBucketIntelligentTieringConfiguration', 'DELETE', 'intelligent-tiering'),
  no('DeleteBucketInventoryConfiguration', 'DELETE', 'inventory'),
  no('DeleteBucketMetadataConfiguration', 'DELETE', 'metadataConfiguration'),
  no('DeleteBucketMetadataTableConfiguration', 'DELETE', 'metadataTable'),
  no('DeleteBucketMetricsConfiguration', 'DELETE', 'metrics'),
  no('DeleteBucketReplication', 'DELETE', 'replication'),

  no('CreateBucketMetadataConfiguration', 'POST', 'metadataConfiguration'),
  no('CreateBucketMetadataTableConfiguration', 'POST', 'metadataTable'),
  unbuilt('WriteGetObjectResponse', 'POST', 'bucket', { header: ['x-amz-request-route', 'x-amz-request-token'] }),
]
