/** Names of identities that people, or policies, take for one another. */

/** Names that differ only in case, width, composition or characters that nobody sees are one: people cannot tell them apart. */
export const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .toLowerCase()

/** In an ARN of a policy, a path before a name means nothing, and a name can have slashes itself. */
export function areNamesakes(one: string, other: string): boolean {
  const [shorter, longer] = [folded(one), folded(other)].sort((a, b) => a.length - b.length) as [string, string]
  return longer === shorter || longer.endsWith(`/${shorter}`)
}
