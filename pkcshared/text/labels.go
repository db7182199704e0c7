package text

// ParseLabels reads every KEY=VALUE of a filter, in order. Two values for one
// key are kept: together they match nothing.
func ParseLabels(list []string) ([][2]string, error) {
	var labels [][2]string
	for _, l := range list {
		k, v, err := ParseLabel(l)
		if err != nil {
			return nil, err
		}
		labels = append(labels, [2]string{k, v})
	}
	return labels, nil
}
