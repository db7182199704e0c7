package contain

func (*cgroup) Reach() Reach { return byTerm }
