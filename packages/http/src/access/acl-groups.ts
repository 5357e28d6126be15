import type { AclGroup } from '@varve/core'

const addresses = {
  AllUsers: 'http://acs.amazonaws.com/groups/global/AllUsers',
  AuthenticatedUsers: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
  LogDelivery: 'http://acs.amazonaws.com/groups/s3/LogDelivery',
} as const satisfies Record<AclGroup, string>

/** The URI of a group, as S3 shows it to clients. */
export const groupUri = (group: AclGroup): string => addresses[group]

export const groupOfUri = (uri: string): AclGroup | undefined =>
  (Object.keys(addresses) as AclGroup[]).find((group) => addresses[group] === uri)
