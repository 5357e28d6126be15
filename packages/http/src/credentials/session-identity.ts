/** The identity that temporary credentials act as: that of their parent or of a role, with a policy that limits it. */
import { parseJson } from '../json/parse-json.ts'
import type { Session } from './session-token.ts'
import { parsePolicy } from '../policies/policy.ts'
import { type Identity, identityOf, type SessionFacts } from '../access/identity.ts'

/** @throws StorageError `InvalidArgument` for a session policy that cannot be read */
export function sessionIdentity(
  session: Session,
  token: string,
  { parent, role }: Pick<SessionFacts, 'parent' | 'role'>,
): Identity {
  const { accessKeyId, secretAccessKey, policy: limit } = session
  const { id, name, displayName, email, root, policy } = parent
  const base =
    role === undefined
      ? { id, name, displayName, root, ...(email !== undefined && { email }), ...(policy && { policy }) }
      : {
          id: role.id,
          name: role.name,
          displayName: `${role.name}/${session.role?.sessionName ?? ''}`,
          ...(role.policy && { policy: role.policy }),
        }
  return identityOf(
    { ...base, accessKeyId, secretAccessKey },
    {
      token,
      parent,
      role,
      ...(session.role && { sessionName: session.role.sessionName }),
      // A session of unknown age is taken for the oldest, so that a policy that ends older sessions ends it.
      issuedAt: session.issuedAt ?? 0,
      ...(limit !== undefined && { ceiling: parsePolicy(parseJson(limit), 'Policy') }),
    },
  )
}
