from matplotlib.figure import Figure


def draw(table, style):
    return Figure(figsize=(3, 3))
