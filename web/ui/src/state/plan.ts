// The plan: the entries that the user has chosen to remove. No entry of it is inside another one.

import { isWithin, type Path } from "../data/path";
import { remember, remembered } from "./memory";

export type Plan = ReadonlySet<Path>;

/** The entry of the plan that contains the path, or is it. */
export function plannedBy(plan: Plan, path: Path): Path | undefined {
  if (plan.has(path)) return path;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const above = path.slice(0, at);
    if (plan.has(above)) return above;
  }
  return plan.has("/") && path.startsWith("/") ? "/" : undefined;
}

/** The plan with the paths; what is inside of one of them folds into it. */
export function withPaths(plan: Plan, paths: readonly Path[]): Plan {
  let next = new Set(plan);
  for (const path of paths) {
    if (plannedBy(next, path) !== undefined) continue;
    next = new Set([...next].filter((other) => !isWithin(other, path)));
    next.add(path);
  }
  return next;
}

export function withoutPath(plan: Plan, path: Path): Plan {
  const next = new Set(plan);
  next.delete(path);
  return next;
}

const key = "fathom-plan";

/** The plan that this browser tab had before a reload. Without storage, it is empty. */
export function rememberedPlan(): Plan {
  const paths = remembered(key);
  if (!Array.isArray(paths)) return new Set();
  return new Set(paths.filter((path) => typeof path === "string"));
}

export function rememberPlan(plan: Plan): void {
  remember(key, [...plan]);
}
