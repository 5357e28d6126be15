/** The identities of a server, as the owner of the store sends them to its workers. */
import { createIdentity, type Identity, type IdentityFields, type RunningServer, type Sessions } from '@varve/http'

export interface ServedFields {
  readonly identities: readonly IdentityFields[]
  /** Temporary credentials. */
  readonly sessions?: Sessions
}

interface Served {
  readonly identities: readonly Identity[]
  readonly sessions: Sessions | undefined
}

export const servedFieldsOf = ({ identities, sessions }: Served): ServedFields => ({
  identities: identities.map(fieldsOf),
  ...(sessions && { sessions }),
})

export const replaceServed = (
  server: Pick<RunningServer, 'replaceIdentities'>,
  { identities, sessions }: ServedFields,
): void => server.replaceIdentities(identities.map(createIdentity), sessions)

/** With the secret, which a copy of an identity does not have. */
const fieldsOf = (identity: Identity): IdentityFields => ({
  ...identity,
  secretAccessKey: identity.secretAccessKey,
})
