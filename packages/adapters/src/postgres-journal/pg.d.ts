/** The package pg has no types of its own: `pg-client.ts` describes the part that is used. */
declare module 'pg' {
  const pg: unknown
  export default pg
}
