// The report on ages as a matrix: a column for each user.

/** A row of the report: what was modified in a range of time, by one user or by everyone. */
export interface AgeRow {
  readonly uid: number | null;
  readonly user: string | null;
  readonly age: string;
  readonly entries: number;
  readonly disk_bytes: number;
  readonly apparent_bytes: number;
}

/** The ages of one user, or of everyone, by the title of the age. */
export interface AgeColumn {
  readonly uid: number | null;
  readonly title: string;
  readonly bytes: number;
  readonly ages: ReadonlyMap<string, AgeRow>;
}

export type Measured = "disk_bytes" | "apparent_bytes";

/** Everyone first, then the users with most bytes. The report begins with everyone. */
export function ageColumns(rows: readonly AgeRow[], measured: Measured): AgeColumn[] {
  const groups: AgeRow[][] = [];
  const seen = new Set<string>();
  let key: string | undefined;
  for (const row of rows) {
    const whose = `${row.uid} ${row.user}`;
    // Users that are unknown follow everyone, whose rows look the same, and begin again.
    if (whose !== key || seen.has(row.age)) {
      groups.push([]);
      seen.clear();
      key = whose;
    }
    seen.add(row.age);
    groups[groups.length - 1]!.push(row);
  }
  const columns = groups.map((group, at): AgeColumn => {
    const { uid, user } = group[0]!;
    return {
      uid,
      title: at === 0 ? "Everyone" : (user ?? (uid === null ? "unknown" : String(uid))),
      bytes: group.reduce((sum, row) => sum + row[measured], 0),
      ages: new Map(group.map((row) => [row.age, row])),
    };
  });
  const [everyone, ...users] = columns;
  users.sort((a, b) => b.bytes - a.bytes);
  return everyone ? [everyone, ...users] : [];
}
