export const jobNames = ['erasure', 'deleted-buckets', 'orphans', 'lifecycle', 'scrub', 'tasks'] as const
/** The name of a job that writes a replica. */
export type ReplicationName = `replication ${string}`
/** The name of a background job. */
export type JobName =
  | (typeof jobNames)[number]
  | 'access-logs'
  | 'log-files'
  | `delivery ${string}`
  | ReplicationName
  | `following ${string}`
  | 'filling'
  | `proof ${string}`
