/** Names the option that helps when a command cannot listen. */

const hints: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'Another program has the port. Use another one with `--port`; 0 takes a free one.'],
  ['EACCES', 'This user may not listen on this port. Use another one with `--port`.'],
  ['EADDRNOTAVAIL', 'This machine does not have the address. Use another one with `--host`.'],
  ['ENOTFOUND', 'This machine does not have the address. Use another one with `--host`.'],
])

/** The error of the system, with its hint. `taken`: another hint for a port that another program has. */
export function withPortHint(error: unknown, taken?: { readonly hint: string }): unknown {
  const { code } = error as NodeJS.ErrnoException
  const hint = (code === 'EADDRINUSE' ? taken?.hint : undefined) ?? hints.get(code)
  return hint === undefined ? error : Object.assign(error as Error, { hint })
}
